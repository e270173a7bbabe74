import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { compileCacheFolder } from "../../src/platform/compile-cache.ts";
import type { Environment } from "../../src/platform/io.ts";
import { temporaryFolder } from "../support/program/program.ts";

const user = process.getuid?.() ?? 0;

function folderFor(env: Environment, uid = user): string | undefined {
  return compileCacheFolder({ env, platform: "linux", getuid: () => uid });
}

describe.runIf(process.platform !== "win32")("compileCacheFolder", () => {
  it("makes a folder that only the user may enter, below the home, under any umask", () => {
    const HOME = temporaryFolder();
    const before = process.umask(0);
    try {
      expect(folderFor({ HOME })).toBe(path.join(HOME, ".cache/pets"));
    } finally {
      process.umask(before);
    }
    expect(statSync(path.join(HOME, ".cache/pets")).mode & 0o777).toBe(0o700);
    expect(folderFor({ HOME })).toBe(path.join(HOME, ".cache/pets"));
  });

  it("follows XDG_CACHE_HOME", () => {
    const XDG_CACHE_HOME = path.join(temporaryFolder(), "a/b");
    expect(folderFor({ HOME: "/nowhere", XDG_CACHE_HOME })).toBe(`${XDG_CACHE_HOME}/pets`);
  });

  it.each([0o777, 0o755, 0o720])("refuses a folder of mode %o", (mode) => {
    const HOME = temporaryFolder();
    mkdirSync(path.join(HOME, ".cache/pets"), { recursive: true });
    chmodSync(path.join(HOME, ".cache/pets"), mode);
    expect(folderFor({ HOME })).toBeUndefined();
  });

  it("refuses a folder of another user", () => {
    const HOME = temporaryFolder();
    mkdirSync(path.join(HOME, ".cache/pets"), { recursive: true, mode: 0o700 });
    expect(folderFor({ HOME }, user + 1)).toBeUndefined();
  });

  it("refuses a link, and a file", () => {
    const HOME = temporaryFolder();
    mkdirSync(path.join(HOME, ".cache"));
    symlinkSync(temporaryFolder(), path.join(HOME, ".cache/pets"));
    expect(folderFor({ HOME })).toBeUndefined();
    const XDG_CACHE_HOME = temporaryFolder();
    writeFileSync(path.join(XDG_CACHE_HOME, "pets"), "", { mode: 0o600 });
    expect(folderFor({ XDG_CACHE_HOME })).toBeUndefined();
  });

  it.each(["/proc", "/dev/null", `/${"long".repeat(100)}`])("returns none below %s", (HOME) => {
    expect(folderFor({ HOME })).toBeUndefined();
  });

  it.each([
    ["with NODE_DISABLE_COMPILE_CACHE", { NODE_DISABLE_COMPILE_CACHE: "1" }, user],
    ["for root under sudo", { SUDO_UID: "1000" }, 0],
  ])("returns none %s", (_what, env, uid) => {
    const HOME = temporaryFolder();
    expect(folderFor({ ...env, HOME }, uid)).toBeUndefined();
    expect(existsSync(path.join(HOME, ".cache"))).toBe(false);
  });
});
