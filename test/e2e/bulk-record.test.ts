import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasProgram } from "../support/program/has-program.ts";
import { envFor, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { startFaultyStore } from "../support/servers/faulty-store.ts";
import { namesIn, petsFile, twice } from "../support/servers/imports.ts";

it.skipIf(!hasProgram("strace"))("has each send on the disk before it leaves", async () => {
  const lab = await startFaultyStore();
  const trace = path.join(temporaryFolder(), "trace");
  const calls = "trace=fsync,fdatasync,write,writev,sendto";
  const words = ["-f", "-s", "40", "-e", calls, "-o", trace, process.execPath, script];
  const add = ["add", "--from", petsFile(8), "--concurrency", "1"];
  const child = spawn("strace", [...words, ...add], { env: envFor(lab), stdio: "ignore" });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code).toBe(0);
  const steps = readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) =>
      / f(?:data)?sync\(/.test(line) ? ["sync"] : line.includes('"POST ') ? ["send"] : [],
    );
  const before = steps.flatMap((step, at) => (step === "send" ? [steps[at - 1]] : []));
  expect(before).toEqual(Array.from({ length: 8 }, () => "sync"));
});

/** Mounts a small file system at a new directory, and returns it; undefined where that is not allowed. */
function smallDisk(size: string): string | undefined {
  const folder = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  if (mounted.status !== 0) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", folder]));
  return folder;
}

describe.skipIf(process.getuid?.() !== 0)("a record without room", () => {
  it("stops the run, and the same command adds the rest once there is room", async ({ skip }) => {
    const state = smallDisk("320k");
    if (state === undefined) {
      skip();
      return;
    }
    const lab = await startFaultyStore();
    const file = petsFile(2000);
    const env = { ...envFor(lab), XDG_STATE_HOME: state };
    const full = await runPets(["add", "--from", file, "-q"], { env });
    expect(full.code).toBe(1);
    expect(full.stderr).toContain(path.join(state, "pets/imports.db"));
    execFileSync("mount", ["-o", "remount,size=64m", state]);
    const rest = await runPets(["add", "--from", file, "-q"], { env });
    expect([0, 9]).toContain(rest.code);
    const names = await namesIn(lab);
    expect(twice(names)).toEqual([]);
    const unknown = rest.stderr.match(/is unknown/g)?.length ?? 0;
    expect(names.length).toBeGreaterThanOrEqual(2000 - unknown);
  });

  it("sends nothing where it cannot be written, and is still read", async ({ skip }) => {
    const state = smallDisk("8m");
    if (state === undefined) {
      skip();
      return;
    }
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
});
