import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { cleanEnv, runPets, script, temporaryFolder } from "../support/program/program.ts";
import { startShop } from "../support/servers/shop.ts";
import { reply, startStranger } from "../support/servers/stranger.ts";

const root = path.dirname(path.dirname(script));
const hook = pathToFileURL(
  path.join(import.meta.dirname, "../support/program/record-modules.mjs"),
).href;

/** Returns the source files, ours and those of packages, and Node's own modules that a run loaded. */
async function loadedBy(
  args: readonly string[],
  env: Record<string, string>,
  code = 0,
): Promise<string[]> {
  const record = path.join(temporaryFolder(), "modules");
  const NODE_OPTIONS = `--import=${hook}`;
  const run = await runPets(args, { env: { ...env, NODE_OPTIONS, RECORD_MODULES: record } });
  expect(run.code).toBe(code);
  const chunks: Record<string, string[]> = JSON.parse(
    readFileSync(path.join(root, "dist/meta.json"), "utf8"),
  );
  return readFileSync(record, "utf8")
    .trim()
    .split("\n")
    .flatMap((url) => {
      if (!url.startsWith("file:")) return [url];
      return chunks[path.basename(fileURLToPath(url))] ?? [url];
    });
}

const heavy = {
  // Its code is in client.cjs, next to ours; it loads this when it runs.
  undici: /^node:querystring$/,
  zod: /node_modules\/zod\//,
  conf: /node_modules\/conf\//,
  chalk: /node_modules\/chalk\//,
  "csv-stringify": /node_modules\/csv-stringify\//,
  imports: /^src\/imports\//,
  server: /^src\/server\//,
  sqlite: /^node:sqlite$/,
  redis: /node_modules\/@redis\//,
  topics: /^src\/help\/topics\/.*\.md$/,
};

function heavyIn(files: readonly string[]): string[] {
  return Object.entries(heavy)
    .filter(([, pattern]) => files.some((file) => pattern.test(file)))
    .map(([name]) => name);
}

describe("what a cold start loads", () => {
  it("pets --version: nothing", async () => {
    expect(heavyIn(await loadedBy(["--version"], cleanEnv()))).toEqual([]);
  });

  it.each([
    [["--help"]],
    [["help", "list"]],
    [["list", "--help"]],
    [["completion", "bash"]],
    [["completion", "powershell"]],
  ])("%j: nothing but the parser", async (args) => {
    expect(heavyIn(await loadedBy(args, cleanEnv()))).toEqual([]);
  });

  it("pets help with a topic: the topics", async () => {
    expect(heavyIn(await loadedBy(["help", "exit-codes"], cleanEnv()))).toEqual(["topics"]);
  });

  it("pets list with the environment: neither the store, conf, nor a formatter that is not used", async () => {
    const stranger = await startStranger(reply(200, '[{"id":1,"name":"Rex","categoryId":2}]'));
    const env: Record<string, string> = {
      ...cleanEnv(),
      PETS_BASE_URL: stranger.baseUrl,
      PETS_API_KEY: "key-of-the-tests",
    };
    const needed = ["undici", "zod"];
    expect(heavyIn(await loadedBy(["list", "--json"], env))).toEqual(needed);
    expect(heavyIn(await loadedBy(["list", "-o", "tsv"], env))).toEqual(needed);
    expect(heavyIn(await loadedBy(["list", "-o", "csv"], env)).sort()).toEqual(
      [...needed, "csv-stringify"].sort(),
    );
    expect(heavyIn(await loadedBy(["list"], env))).toEqual(needed);
    expect(existsSync(path.join(env.HOME ?? "", ".config"))).toBe(false);
  });

  it("pets list with a shared limiter: the Redis client, without its commands", async () => {
    const stranger = await startStranger(reply(200, "[]"));
    const env = {
      ...cleanEnv(),
      PETS_BASE_URL: stranger.baseUrl,
      PETS_API_KEY: "key-of-the-tests",
      PETS_LIMITER: "redis://127.0.0.1:1",
    };
    const loaded = await loadedBy(["list", "--json"], env);
    expect(heavyIn(loaded)).toEqual(["undici", "zod", "redis"]);
    const ofRedis = loaded.filter((file) => heavy.redis.test(file));
    expect(ofRedis.length).toBeLessThan(50);
    expect(ofRedis.join()).not.toMatch(/cluster|sentinel|XADD/);
  });

  it.each([
    ["ndjson", []],
    ["csv", ["csv-stringify"]],
    ["table", []],
  ])("pets add --from --dry-run -o %s: only the writer of that format", async (format, needed) => {
    const file = path.join(temporaryFolder(), "pets.ndjson");
    writeFileSync(file, '{"name":"Rex","categoryId":2}\n');
    const env = { ...cleanEnv(), PETS_BASE_URL: "http://127.0.0.1:1" };
    const args = ["add", "--from", file, "--dry-run", "-o", format];
    const writers = new Set(["csv-stringify", "chalk", "undici"]);
    const loaded = heavyIn(await loadedBy(args, env)).filter((name) => writers.has(name));
    expect(loaded.sort()).toEqual(needed);
  });

  it("pets limits: neither undici nor zod, which only a request needs", async () => {
    const stranger = await startStranger(reply(200, "[]", { "x-ratelimit-limit": "60" }));
    const env: Record<string, string> = {
      ...cleanEnv(),
      PETS_BASE_URL: stranger.baseUrl,
      PETS_API_KEY: "key-of-the-tests",
    };
    expect(heavyIn(await loadedBy(["limits", "--json"], env))).toEqual([]);
    expect((await runPets(["limits", "--refresh"], { env })).code).toBe(0);
    expect(heavyIn(await loadedBy(["limits", "--json"], env))).toEqual([]);
    expect(heavyIn(await loadedBy(["limits"], env))).toEqual([]);
    expect(stranger.requests).toHaveLength(1);
  });

  it("pets add --from of an earlier file: the client for the store check", async () => {
    const pet = '{"name":"Rex","categoryId":2}';
    const shop = await startShop();
    const file = path.join(temporaryFolder(), "pets.ndjson");
    writeFileSync(file, pet);
    const env: Record<string, string> = {
      ...cleanEnv(),
      PETS_BASE_URL: shop.baseUrl,
      PETS_API_KEY: "key-of-the-tests",
    };
    const args = ["add", "--from", file, "--json"];
    expect(heavyIn(await loadedBy(args, env))).toContain("undici");
    expect(heavyIn(await loadedBy(args, env)).sort()).toEqual([
      "imports",
      "sqlite",
      "undici",
      "zod",
    ]);
    expect(shop.posts).toBe(1);
  });

  it("pets list with a profile: conf, which reads it, and still not the store", async () => {
    const stranger = await startStranger(reply(200, "[]"));
    const env = cleanEnv();
    const login = ["login", "--base-url", stranger.baseUrl];
    expect((await runPets(login, { env, input: "key-of-the-tests" })).code).toBe(0);
    expect(heavyIn(await loadedBy(["list", "--json"], env)).sort()).toEqual([
      "conf",
      "undici",
      "zod",
    ]);
  });
});
