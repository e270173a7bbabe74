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
    const NODE_COMPILE_CACHE = temporaryFolder();
    await versionWith({ NODE_COMPILE_CACHE });
    const pack = readdirSync(NODE_COMPILE_CACHE).find((entry) => entry.endsWith("-pets"));
    const file = path.join(NODE_COMPILE_CACHE, pack ?? "");
    const good = readFileSync(file);
    const damaged = Buffer.from(good);
    damaged[good.length - 100] = (damaged.at(-100) ?? 0) ^ 1;
    const foreign = encodePack({ code: new Map([["main.js", Buffer.alloc(1000)]]), runs: 9 }, 7);
    for (const bad of [damaged, foreign, Buffer.alloc(good.length), Buffer.alloc(0)]) {
      writeFileSync(file, bad);
      if (bad === foreign) utimesSync(file, 7, 7);
      await versionWith({ NODE_COMPILE_CACHE });
      const made = decodePack(readFileSync(file), statSync(file).mtimeMs / 1000);
      expect(made?.code.get("main.js")?.length).toBeGreaterThan(10_000);
    }
  });

  it("is not changed by a run that finds all that it needs", async () => {
    const NODE_COMPILE_CACHE = temporaryFolder();
    for (let run = 0; run < 3; run += 1) await versionWith({ NODE_COMPILE_CACHE });
    const state = () =>
      readdirSync(NODE_COMPILE_CACHE).map(
        (entry) => statSync(path.join(NODE_COMPILE_CACHE, entry)).mtimeMs,
      );
    const before = state();
    await versionWith({ NODE_COMPILE_CACHE });
    expect(state()).toEqual(before);
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

  it("is kept where NODE_COMPILE_CACHE says", async () => {
    const TMPDIR = temporaryFolder();
    await versionWith({ TMPDIR, NODE_COMPILE_CACHE: path.join(TMPDIR, "chosen") });
    expect(readdirSync(TMPDIR)).toEqual(["chosen"]);
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
