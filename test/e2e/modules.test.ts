import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { cleanEnv, envFor, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { startShop } from "../support/servers/shop.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const dist = path.resolve(path.dirname(script), "../dist");
const hook = pathToFileURL(
  path.join(import.meta.dirname, "../support/program/record-modules.mjs"),
).href;

/** What takes long to load, or must not be loaded at all. */
const heavy = {
  undici: /node_modules\/undici\//,
  zod: /node_modules\/zod\//,
  conf: /node_modules\/conf\//,
  redis: /node_modules\/@redis\//,
  workbooks: /node_modules\/(?:read-excel-file|fflate|saxen)\//,
  imports: /^src\/imports\/run\//,
  server: /^src\/server\/(?:http|storage)\//,
  sqlite: /^node:sqlite$/,
  prompts: /node_modules\/@inquirer\//,
  topics: /^src\/help\/topics\/.*\.md$/,
};

/** Returns which of them a run loads. */
async function loadedBy(args: readonly string[], env: Record<string, string>): Promise<string[]> {
  const record = path.join(temporaryFolder(), "modules");
  const NODE_OPTIONS = `--import=${hook}`;
  const run = await runPets(args, { env: { ...env, NODE_OPTIONS, RECORD_MODULES: record } });
  expect(run.code).toBe(0);
  const chunks: Record<string, string[]> = JSON.parse(
    readFileSync(path.join(dist, "meta.json"), "utf8"),
  );
  const files = readFileSync(record, "utf8")
    .trim()
    .split("\n")
    .flatMap((url) =>
      url.startsWith("file:") ? (chunks[path.basename(fileURLToPath(url))] ?? [url]) : [url],
    );
  return Object.entries(heavy).flatMap(([name, pattern]) =>
    files.some((file) => pattern.test(file)) ? name : [],
  );
}

it.each([
  [["--version"], []],
  [["--help"], []],
  [["__complete", "bash", "list", "--st"], []],
  [["list", "--help"], []],
  [["completion", "bash"], ["topics"]],
  [["help", "exit-codes"], ["topics"]],
])("pets %j loads %j", async (args, loaded) => {
  expect(await loadedBy(args, cleanEnv())).toEqual(loaded);
});

it("a list loads neither conf nor the store, and Redis only where a fleet shares limits", async () => {
  const stranger = await startStranger(reply(200, '[{"id":1,"name":"Rex","categoryId":2}]'));
  const env = envFor(stranger);
  expect(await loadedBy(["list", "--json"], env)).toEqual(["undici", "zod"]);
  expect(await loadedBy(["list"], env)).toEqual(["undici", "zod"]);
  expect(existsSync(path.join(env.HOME ?? "", ".config"))).toBe(false);
  const fleet = { ...env, PETS_LIMITER: "redis://127.0.0.1:1" };
  expect(await loadedBy(["list", "--json"], fleet)).toEqual(["undici", "zod", "redis"]);
});

it("a list with a profile loads conf, which reads it", async () => {
  const stranger = await startStranger(reply(200, "[]"));
  const env = cleanEnv();
  const login = ["login", "--base-url", stranger.baseUrl];
  expect((await runPets(login, { env, input: "key-of-the-tests" })).code).toBe(0);
  expect(await loadedBy(["list", "--json"], env)).toEqual(["undici", "zod", "conf"]);
});

it("an import loads SQLite, and not the store", async () => {
  const shop = await startShop();
  const file = path.join(temporaryFolder(), "pets.ndjson");
  writeFileSync(file, '{"name":"Rex","categoryId":2}\n');
  const loaded = await loadedBy(["add", "--from", file, "--json"], envFor(shop));
  expect(loaded.sort()).toEqual(["imports", "sqlite", "undici", "zod"]);
  expect(shop.posts).toBe(1);
});
