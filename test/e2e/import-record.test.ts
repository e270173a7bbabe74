import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { canBeOther, folderOfOther, petsAsOther } from "../support/program/other-user.ts";
import { envFor, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { smallDisk } from "../support/program/small-disk.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import { namesIn, petsFile, twice } from "../support/servers/imports.ts";

/**
 * Traces an import, and returns its writes to the log of the record, their syncs, the rows that leave, and what becomes
 * of its results, in order.
 */
async function tracedSteps(env: Record<string, string>, ...words: readonly string[]) {
  const trace = path.join(temporaryFolder(), "trace");
  const calls = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,rename";
  const options = ["-f", "-y", "-s", "40", "-e", calls, "-o", trace, process.execPath, script];
  const add = ["add", "--from", ...words];
  const child = spawn("strace", [...options, ...add], { env, stdio: "ignore" });
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
  const steps: readonly (readonly [string, RegExp])[] = [
    ["log", / pwrite64\(\d+<[^>]*imports\.db-wal>/],
    ["sync", / f(?:data)?sync\(\d+<[^>]*imports\.db-wal>/],
    ["send", /"POST /],
    ["results", / write\(\d+<[^>]*\/\.pets-[^>]*>/],
    ["sync of results", / fsync\(\d+<[^>]*\/\.pets-[^>]*>/],
    ["rename", / rename\("[^"]*\/\.pets-/],
  ];
  const lines = readFileSync(trace, "utf8").split("\n");
  return lines.flatMap((line) =>
    steps.flatMap(([step, pattern]) => (pattern.test(line) ? step : [])),
  );
}

describe.skipIf(!hasProgram("strace"))("a power loss", () => {
  it("finds each row that was sent while limits set the pace", async () => {
    const lab = await startFaultyStore({ plan: "30/2s" });
    const steps = await tracedSteps(envFor(lab), petsFile(45), "--concurrency", "4");
    expect(steps.filter((step) => step === "send")).toHaveLength(45);
    const isSynced = (at: number): boolean =>
      steps.lastIndexOf("sync", at) > steps.lastIndexOf("log", at);
    const lost = steps.flatMap((step, at) => (step === "send" && !isSynced(at) ? [at] : []));
    expect(lost).toEqual([]);
    // What the four workers record in one turn is one transaction.
    expect(steps.filter((step) => step === "sync").length).toBeGreaterThanOrEqual(45 / 4);
  });

  it("finds results whole, or not at all", async () => {
    const lab = await startFaultyStore();
    const results = path.join(temporaryFolder(), "results.csv");
    const steps = await tracedSteps(envFor(lab), petsFile(8), "--results", results);
    const ofResults = steps.filter((step) => /results|rename/.test(step));
    expect(ofResults.join(", ")).toMatch(/^(?:results, )+sync of results, rename$/);
  });
});

describe.skipIf(process.getuid?.() !== 0)("a record without room", () => {
  it("stops the run, and the same command adds the rest once there is room", async ({ skip }) => {
    const state = smallDisk("320k", skip);
    const lab = await startFaultyStore();
    const file = petsFile(2000);
    const env = { ...envFor(lab), XDG_STATE_HOME: state };
    const full = await runPets(["add", "--from", file, "-q"], { env });
    expect(full.code).toBe(1);
    expect(full.stderr).toContain(path.join(state, "pets/imports.db"));
    expect(full.stderr).toContain("\nMake room, then run the same command again.\n");
    expect(full.stderr).not.toContain("XDG_STATE_HOME");
    execFileSync("mount", ["-o", "remount,size=64m", state]);
    const rest = await runPets(["add", "--from", file, "-q"], { env });
    expect([0, 8]).toContain(rest.code);
    const names = await namesIn(lab);
    expect(twice(names)).toEqual([]);
    const unknown = rest.stderr.match(/outcome unknown/g)?.length ?? 0;
    expect(names.length).toBeGreaterThanOrEqual(2000 - unknown);
  });

  it("is not blamed for a full temporary directory", async ({ skip }) => {
    const TMPDIR = smallDisk("320k", skip);
    const lab = await startFaultyStore();
    const env = { ...envFor(lab), TMPDIR };
    const full = await runPets(["add", "--from", petsFile(8000), "-q"], { env });
    expect(full.code).toBe(1);
    expect(full.stderr).toMatch(
      /^pets: a temporary file cannot be written: .*\nMake room in the temporary/,
    );
    expect(await namesIn(lab)).toEqual([]);
  });

  it("sends nothing where it cannot be written, and is still read", async ({ skip }) => {
    const state = smallDisk("8m", skip);
    const lab = await startFaultyStore();
    const env = { ...envFor(lab), XDG_STATE_HOME: state };
    mkdirSync(path.join(state, "pets"), { mode: 0o700 });
    expect(await runPets(["add", "--from", petsFile(2), "-q"], { env })).toMatchObject({ code: 0 });
    execFileSync("mount", ["-o", "remount,ro", state]);
    const refused = await runPets(["add", "--from", petsFile(3)], { env });
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(path.join(state, "pets/imports.db"));
    expect(await namesIn(lab)).toHaveLength(2);
    const list = await runPets(["imports", "--json"], { env });
    expect(JSON.parse(list.stdout)).toMatchObject([{ id: 1, added: 2 }]);
    const show = await runPets(["imports", "show", "1", "--json"], { env });
    expect(JSON.parse(show.stdout)).toHaveLength(2);
  });

  it.runIf(canBeOther)("is read by a user who cannot write there", async () => {
    const [[setpriv, ...words], state] = [petsAsOther(), folderOfOther()];
    const lab = await startFaultyStore();
    const env = { ...envFor(lab), XDG_STATE_HOME: state };
    expect(await runPets(["add", "--from", petsFile(2), "-q"], { env })).toMatchObject({ code: 0 });
    execFileSync("chmod", ["-R", "a=rX", state]);
    for (const [command, count] of [
      ["list", 1],
      ["show 1", 2],
    ] as const) {
      const asked = [...words, "imports", ...command.split(" "), "--json"];
      const rows: unknown = JSON.parse(execFileSync(setpriv, asked, { env, encoding: "utf8" }));
      expect(rows).toHaveLength(count);
    }
  });
});
