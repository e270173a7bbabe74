import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { type Served, serve } from "../support/servers/serve.ts";

const key = "a-key-of-the-tests-1234";

/** Returns an environment in which every store accepts the same key, and the data folder is `home`. */
function envWith(home: string): Record<string, string> {
  return { ...cleanEnv(), HOME: home, PETS_SERVE_KEY: key };
}

function fileOf(...names: string[]): string {
  const file = path.join(temporaryFolder(), "pets.ndjson");
  writeFileSync(file, names.map((name) => `{"name":"${name}","categoryId":1}\n`).join(""));
  return file;
}

async function stop({ child, ended }: Served): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

const portOf = ({ ready }: Served): string => new URL(ready.baseUrl).port;

/** Runs `pets` against the store. */
const run = (env: Record<string, string>, { ready }: Served, ...words: string[]) =>
  runInTime(words, { env: { ...env, PETS_BASE_URL: ready.baseUrl, PETS_API_KEY: key } });

async function namesIn(env: Record<string, string>, store: Served): Promise<string[]> {
  const list = ["list", "--limit", "100", "-o", "tsv", "--fields", "name"];
  const { stdout } = await run(env, store, ...list);
  return stdout.split("\n").slice(1, -1).toSorted();
}

describe("an import that was finished", () => {
  it.each([
    ["a restarted store in memory", ["--memory"], ["--memory"]],
    ["a store with other data", ["--data", "a.db"], ["--data", "b.db"]],
  ])("is sent to %s", { timeout: 60_000 }, async (_what, before, after) => {
    const home = temporaryFolder();
    const env = envWith(home);
    const inHome = (words: readonly string[]): string[] =>
      words.map((word) => (word.endsWith(".db") ? path.join(home, word) : word));
    const file = fileOf("Rex", "Mia");
    const first = await serve(inHome(before), env);
    expect(await run(env, first, "add", "--from", file)).toMatchObject({ code: 0 });
    await stop(first);
    const second = await serve([...inHome(after), "--port", portOf(first)], env);
    expect(await run(env, second, "add", "--from", file)).toMatchObject({ code: 0 });
    expect(await namesIn(env, second)).toEqual(["Mia", "Rex"]);
    const again = await run(env, second, "add", "--from", file);
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(await namesIn(env, second)).toEqual(["Mia", "Rex"]);
  });

  it("is not sent again to the same data at another port", { timeout: 60_000 }, async () => {
    const home = temporaryFolder();
    const env = envWith(home);
    const data = path.join(home, "a.db");
    const file = fileOf("Rex", "Mia");
    const first = await serve(["--data", data], env);
    expect(await run(env, first, "add", "--from", file)).toMatchObject({ code: 0 });
    await stop(first);
    const second = await serve(["--data", data], env);
    expect(await run(env, second, "add", "--from", file)).toMatchObject({ code: 2 });
    expect(await run(env, second, "add", "--from", file, "--only-new")).toMatchObject({ code: 0 });
    expect(await namesIn(env, second)).toEqual(["Mia", "Rex"]);
  });

  it("is sent again after a reset", { timeout: 60_000 }, async () => {
    const env = envWith(temporaryFolder());
    const store = await serve(["--memory"], env);
    const file = fileOf("Rex", "Mia");
    expect(await run(env, store, "add", "--from", file)).toMatchObject({ code: 0 });
    expect(await run(env, store, "store", "reset")).toMatchObject({ code: 0 });
    expect(await run(env, store, "add", "--from", file)).toMatchObject({ code: 0 });
    expect(await namesIn(env, store)).toEqual(["Mia", "Rex"]);
  });
});
