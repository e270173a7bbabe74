import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { cleanEnv, type Finished, runPets, temporaryFolder } from "../support/program/program.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const hook = path.join(import.meta.dirname, "../support/program/loaded-builtins.cjs");

/** Returns Node's own modules that a run loaded, without those that an empty script needs. */
async function builtinsOf(args: readonly string[], env: Record<string, string>) {
  const LOADED_BUILTINS = path.join(temporaryFolder(), "loaded");
  const recorded = { ...env, LOADED_BUILTINS, NODE_OPTIONS: `--require=${hook}` };
  const read = () => readFileSync(LOADED_BUILTINS, "utf8").match(/(?<=^NativeModule ).+$/gm) ?? [];
  const empty = path.join(temporaryFolder(), "empty.cjs");
  writeFileSync(empty, "");
  expect(spawnSync(process.execPath, [empty], { env: recorded }).status).toBe(0);
  const always = new Set(read());
  const run: Finished = await runPets(args, { env: recorded });
  expect(run.code).toBe(0);
  return read().filter((name) => !always.has(name));
}

// Each takes long to load, and a mistake in the bundle would load it unnoticed.
describe("what a start loads of Node", () => {
  it.each(["--version", "--help"])("pets %s: next to nothing", async (flag) => {
    expect((await builtinsOf([flag], cleanEnv())).length).toBeLessThan(6);
  });

  it.each([["--json"], ["--output=table"]])(
    "pets list %s: what a request needs",
    async (format) => {
      const pet = '{"id":1,"name":"Rex","categoryId":2,"status":"sold"}';
      const { baseUrl } = await startStranger(reply(200, `[${pet}]`));
      const env = { ...cleanEnv(), PETS_BASE_URL: baseUrl, PETS_API_KEY: "key-of-the-tests" };
      const loaded = await builtinsOf(["list", format], env);
      expect(loaded).toContain("net");
      const heavy =
        /^(?:http2|https|tls|zlib|sqlite|inspector|child_process|readline|worker_threads|internal\/deps)/;
      expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
    },
  );
});
