import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, type Finished, runPets, script, temporaryFolder } from "../support/program.ts";
import { reply, startStranger } from "../support/stranger.ts";

// A quick start rests on these; where one stops holding, nothing but the time would tell.

const dist = path.join(path.dirname(script), "../dist");
const hook = path.join(import.meta.dirname, "../support/loaded-builtins.cjs");

/** The environment of a service that answers each list with one animal. */
async function listedEnv(): Promise<Record<string, string>> {
  const pet = '{"id":1,"name":"Rex","categoryId":2,"status":"sold"}';
  const { baseUrl } = await startStranger(reply(200, `[${pet}]`));
  return { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: "key-of-the-tests" };
}

/** Node's own modules that a run loaded, those left out that an empty script needs. */
async function builtinsOf(args: readonly string[], env: Record<string, string>) {
  const LOADED_BUILTINS = path.join(temporaryFolder(), "loaded");
  const told = { ...env, LOADED_BUILTINS, NODE_OPTIONS: `--require="${hook}"` };
  const read = () => readFileSync(LOADED_BUILTINS, "utf8").match(/(?<=^NativeModule ).+$/gm) ?? [];
  const empty = path.join(temporaryFolder(), "empty.cjs");
  writeFileSync(empty, "");
  expect(spawnSync(process.execPath, [empty], { env: told }).status).toBe(0);
  const always = new Set(read());
  const run: Finished = await runPets(args, { env: told });
  expect(run.code).toBe(0);
  return read().filter((name) => !always.has(name));
}

describe("what a start loads of Node", () => {
  it.each(["--version", "--help"])("pets %s: next to nothing", async (flag) => {
    const loaded = await builtinsOf([flag], cleanEnv());
    expect(loaded).toContain("vm");
    expect(loaded.length).toBeLessThan(4);
  });

  it.each([["--json"], ["--output=table"]])("pets list %s: what a socket needs", async (format) => {
    const loaded = await builtinsOf(["list", format], await listedEnv());
    expect(loaded).toContain("net");
    const heavy =
      /^(?:_?http|_tls|_?stream_wrap|https|tls|zlib|crypto|assert|sqlite|internal\/crypto)/;
    expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
    expect(loaded.length).toBeLessThanOrEqual(35);
  });
});

describe("the code that V8 compiled", () => {
  it.each(["--help", "help exit-codes", "completion bash", "list --json", "list", "list -o csv"])(
    "pets %s: is all known after three runs",
    async (line) => {
      const NODE_COMPILE_CACHE = temporaryFolder();
      const env = { ...(await listedEnv()), NODE_COMPILE_CACHE };
      const run = () => runPets(line.split(" "), { env });
      for (let count = 0; count < 3; count += 1) expect(await run()).toMatchObject({ code: 0 });
      // A pack is written anew where anything had to be compiled.
      const states = () =>
        readdirSync(NODE_COMPILE_CACHE, { recursive: true, encoding: "utf8" })
          .filter((name) => name.includes("pets-cache"))
          .map((name) => [
            name,
            statSync(path.join(NODE_COMPILE_CACHE, name), { bigint: true }).ctimeNs,
          ]);
      const before = states();
      expect(before.length).toBeGreaterThan(1);
      expect(await run()).toMatchObject({ code: 0 });
      expect(states()).toEqual(before);
    },
  );
});

describe("a file that a start reads", () => {
  it.each([
    ["start.js", 6_000],
    ["main.js", 155_000],
    ["api.js", 145_000],
    ["conf.js", 40_000],
  ])("%s has at most %i bytes", (name, most) => {
    expect(statSync(path.join(dist, name)).size).toBeLessThanOrEqual(most);
  });
});
