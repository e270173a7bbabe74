import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { decodePack, encodePack } from "../../src/start/code-pack.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program.ts";

async function versionWith(env: Record<string, string>): Promise<void> {
  const run = await runPets(["--version"], { env: { ...cleanEnv(), ...env } });
  expect(run).toMatchObject({ code: 0, stderr: "" });
}

/** In seconds since the epoch. */
function daysAgo(count: number): number {
  return Date.now() / 1000 - count * 24 * 60 * 60;
}

describe.runIf(process.platform !== "win32")("the compiled code", () => {
  const name = `pets-cache-${process.getuid?.()}`;

  it("is kept in a folder of the user's own, under any umask", async () => {
    const TMPDIR = temporaryFolder();
    const before = process.umask(0);
    try {
      await versionWith({ TMPDIR });
    } finally {
      process.umask(before);
    }
    expect(readdirSync(TMPDIR)).toEqual([name]);
    expect(statSync(path.join(TMPDIR, name)).mode & 0o777).toBe(0o700);
    expect(readdirSync(path.join(TMPDIR, name))).not.toEqual([]);
  });

  it("is made anew where it is damaged, or is of another V8", async () => {
    const TMPDIR = temporaryFolder();
    await versionWith({ TMPDIR });
    const [pack = ""] = readdirSync(path.join(TMPDIR, name));
    const file = path.join(TMPDIR, name, pack);
    const good = readFileSync(file);
    const damaged = Buffer.from(good);
    damaged[good.length - 100] = (damaged.at(-100) ?? 0) ^ 1;
    const foreign = encodePack({ code: new Map([["main.js", Buffer.alloc(1000)]]), runs: 9 }, 7);
    for (const bad of [damaged, foreign, Buffer.alloc(good.length), Buffer.alloc(0)]) {
      writeFileSync(file, bad);
      if (bad === foreign) utimesSync(file, 7, 7);
      await versionWith({ TMPDIR });
      const made = decodePack(readFileSync(file), statSync(file).mtimeMs / 1000);
      expect(made?.code.get("main.js")?.length).toBeGreaterThan(10_000);
    }
  });

  it("is not changed by a run that finds all that it needs", async () => {
    const TMPDIR = temporaryFolder();
    for (let run = 0; run < 3; run += 1) await versionWith({ TMPDIR });
    const state = () =>
      readdirSync(path.join(TMPDIR, name)).map(
        (entry) => statSync(path.join(TMPDIR, name, entry)).mtimeMs,
      );
    const before = state();
    await versionWith({ TMPDIR });
    expect(state()).toEqual(before);
  });

  it("that nobody used for a month goes when some is kept, with what killed runs left", async () => {
    const TMPDIR = temporaryFolder();
    const folder = path.join(TMPDIR, name);
    mkdirSync(folder, { mode: 0o700 });
    for (const [entry, used, made] of [
      ["old-pets", 31, 31],
      ["old-list.4711-1", 31, 40],
      ["used-pets", 1, 400],
      ["new-pets.4711-1", 29, 29],
    ] as const) {
      writeFileSync(path.join(folder, entry), "");
      utimesSync(path.join(folder, entry), daysAgo(used), daysAgo(made));
    }
    await versionWith({ TMPDIR });
    expect(readdirSync(folder).sort()).toEqual([
      expect.stringMatching(/^\w{16}-v.*-pets$/),
      "new-pets.4711-1",
      "used-pets",
    ]);
  });

  it("is kept nowhere with NODE_DISABLE_COMPILE_CACHE", async () => {
    const TMPDIR = temporaryFolder();
    await versionWith({ TMPDIR, NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  it.each(["a folder that others can write to", "a link"])("is not kept in %s", async (what) => {
    const TMPDIR = temporaryFolder();
    const laid = path.join(TMPDIR, "laid");
    mkdirSync(laid, { mode: 0o700 });
    if (what === "a link") symlinkSync(laid, path.join(TMPDIR, name));
    else {
      mkdirSync(path.join(TMPDIR, name));
      chmodSync(path.join(TMPDIR, name), 0o777);
    }
    await versionWith({ TMPDIR });
    expect(readdirSync(path.join(TMPDIR, name))).toEqual([]);
  });

  it("is kept where NODE_COMPILE_CACHE says, where others can't write to it", async () => {
    const TMPDIR = temporaryFolder();
    const shared = path.join(TMPDIR, "chosen");
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    await versionWith({ TMPDIR, NODE_COMPILE_CACHE: shared });
    expect(readdirSync(TMPDIR)).toEqual(["chosen"]);
    expect(readdirSync(shared).filter((entry) => entry.includes("pets"))).toEqual([name]);
    expect(statSync(path.join(shared, name)).mode & 0o777).toBe(0o700);
    expect(readdirSync(path.join(shared, name))).not.toEqual([]);
  });

  it("is kept nowhere where NODE_COMPILE_CACHE names no folder", async () => {
    const NODE_COMPILE_CACHE = path.join(temporaryFolder(), "file");
    writeFileSync(NODE_COMPILE_CACHE, "");
    await versionWith({ NODE_COMPILE_CACHE });
    expect(statSync(NODE_COMPILE_CACHE).size).toBe(0);
    await versionWith({ NODE_COMPILE_CACHE: `/${"long".repeat(100)}` });
  });

  it("is kept nowhere where there is no folder for temporary files", async () => {
    const TMPDIR = path.join(temporaryFolder(), "missing");
    await versionWith({ TMPDIR });
    expect(existsSync(TMPDIR)).toBe(false);
  });

  it.runIf(process.platform === "linux")("does not hang where nothing can be made", async () => {
    const run = await runPets(["--version"], { env: { ...cleanEnv(), TMPDIR: "/proc" } });
    expect(run).toMatchObject({ code: 0, stderr: "" });
  });

  it("is kept nowhere where no folder can be made", async () => {
    const TMPDIR = path.join(temporaryFolder(), "file");
    writeFileSync(TMPDIR, "");
    await versionWith({ TMPDIR });
    expect(statSync(TMPDIR).isFile()).toBe(true);
  });
});
