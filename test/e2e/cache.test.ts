import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";

/** Runs a command that loads a chunk, and expects it to succeed. */
async function runWith(env: Record<string, string>): Promise<void> {
  const run = await runPets(["help", "exit-codes"], {
    env: { ...cleanEnv(), XDG_CACHE_HOME: "", ...env },
  });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toMatch(/130/);
}

/** Returns all files below `folder`. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

describe.runIf(process.platform !== "win32")("the compile cache", () => {
  it("is kept in the user's own folder, and used by the next run", async () => {
    const HOME = temporaryFolder();
    await runWith({ HOME });
    const folder = path.join(HOME, ".cache/pets");
    expect(readdirSync(HOME)).toEqual([".cache"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const states = () => filesBelow(folder).map((file) => [file, statSync(file).mtimeMs]);
    const before = states();
    expect(before.length).toBeGreaterThan(1);
    await runWith({ HOME });
    expect(states()).toEqual(before);
  });

  it("is rebuilt when it is damaged", async () => {
    const HOME = temporaryFolder();
    await runWith({ HOME });
    const good = filesBelow(HOME).map((file) => [file, readFileSync(file)] as const);
    for (const [file, bytes] of good) writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    await runWith({ HOME });
    for (const [file, bytes] of good)
      expect(readFileSync(file).length).toBeGreaterThan(0.9 * bytes.length);
  });

  it.each(["/proc", "/nowhere/at/all", ""])("is not needed: HOME is %j", async (HOME) => {
    await runWith({ HOME, XDG_CACHE_HOME: "/proc" });
    expect(existsSync("/proc/pets")).toBe(false);
  });

  it("is left to Node if NODE_COMPILE_CACHE or NODE_DISABLE_COMPILE_CACHE is set", async () => {
    const HOME = temporaryFolder();
    const NODE_COMPILE_CACHE = path.join(temporaryFolder(), "chosen");
    await runWith({ HOME, NODE_COMPILE_CACHE });
    expect(filesBelow(NODE_COMPILE_CACHE).length).toBeGreaterThan(1);
    await runWith({ HOME, NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(readdirSync(HOME)).toEqual([]);
  });
});
