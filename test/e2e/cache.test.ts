import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, runPets, temporaryFolder } from "../support/program.ts";

async function versionWith(env: Record<string, string>) {
  const run = await runPets(["--version"], { env });
  expect(run).toMatchObject({ code: 0, stderr: "" });
}

describe("the compiled code", () => {
  it.each([
    ["XDG_CACHE_HOME", (home: string) => path.join(home, "caches")],
    ["a relative XDG_CACHE_HOME", (home: string) => path.join(home, ".cache")],
  ])("is kept where only the user can write: %s", async (what, cacheOf) => {
    const home = temporaryFolder();
    const XDG_CACHE_HOME = what.startsWith("a relative") ? "caches" : path.join(home, "caches");
    const before = process.umask(0);
    try {
      await versionWith({ ...cleanEnv(home), XDG_CACHE_HOME });
    } finally {
      process.umask(before);
    }
    const folder = path.join(cacheOf(home), "pets");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).not.toEqual([]);
  });

  it("is kept where NODE_COMPILE_CACHE says", async () => {
    const home = temporaryFolder();
    const chosen = path.join(home, "chosen");
    await versionWith({ ...cleanEnv(home), NODE_COMPILE_CACHE: chosen });
    expect(existsSync(chosen)).toBe(true);
    expect(existsSync(path.join(home, ".cache"))).toBe(false);
  });

  it("is kept nowhere without a home, or where that takes no folder", async () => {
    const home = temporaryFolder();
    const TMPDIR = path.join(home, "tmp");
    mkdirSync(TMPDIR);
    writeFileSync(path.join(home, "file"), "");
    const { PATH = "" } = process.env;
    await versionWith({ PATH, TMPDIR });
    await versionWith({ PATH, TMPDIR, HOME: path.join(home, "file") });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});
