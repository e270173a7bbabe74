import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyId } from "../../src/server/keys.ts";
import { runInTime } from "../support/command/world.ts";
import { postgresAvailable, usePostgres } from "../support/databases/postgres.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { serve, type Served } from "../support/servers/serve.ts";

const statusFor = async ({ ready: { baseUrl } }: Served, apiKey: string): Promise<number> =>
  (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } })).status;

const stateFor = async ({ baseUrl, apiKey }: Served["ready"]): Promise<number> =>
  (
    await fetch(new URL("/_store/state", baseUrl), {
      headers: { authorization: `Bearer ${apiKey}` },
    })
  ).status;

const keys = (env: Record<string, string>, ...words: readonly string[]) =>
  runInTime(["keys", ...words], { env });

const made = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const someKey = expect.stringMatching(/^pets_\w{32}$/);
const someId = expect.stringMatching(/^[0-9a-f]{16}$/);

describe("pets keys", () => {
  it("creates and revokes keys of a running store, effective at once", async () => {
    const env = cleanEnv();
    const store = await serve([], env);
    const added = await keys(env, "add", "--plan", "2/min,5/day", "--json");
    expect(added).toMatchObject({ code: 0, stderr: "" });
    const { apiKey, id, ...rest } = JSON.parse(added.stdout);
    expect([apiKey, id]).toEqual([someKey, someId]);
    expect(rest).toEqual({ plan: "2/min,5/day", createdAt: made });
    const statuses = [];
    for (let time = 0; time < 3; time += 1) statuses.push(await statusFor(store, apiKey));
    expect(statuses).toEqual([200, 200, 429]);

    const listed = await keys(env, "list", "--json");
    expect(JSON.parse(listed.stdout)).toEqual([
      { id: someId, plan: "free", createdAt: made, operator: true },
      { id, ...rest, operator: false },
    ]);
    expect(listed.stdout).not.toContain("pets_");

    const revoked = await keys(env, "revoke", id);
    expect(revoked).toEqual({ code: 0, stdout: "", stderr: `Revoked key ${id}.\n` });
    expect(await statusFor(store, apiKey)).toBe(401);
    expect(await statusFor(store, store.ready.apiKey)).toBe(200);
    expect(await keys(env, "revoke", id)).toMatchObject({
      code: 3,
      stderr: `pets: no key with the id "${id}"\nSee \`pets keys list\`.\n`,
    });
  });

  it("revokes a key for good, which the next start replaces: the others are the same at every start", async () => {
    const env = cleanEnv();
    const words = ["--profile", "shop", "--plan", "free", "--plan", "pro", "--plan", "pro"];
    const start = async () => {
      const { child, ready, ended, told } = await serve(words, env);
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
      return { keys: ready.keys.map(({ apiKey }) => apiKey), told: told() };
    };
    const first = await start();
    expect(await start()).toMatchObject({ keys: first.keys });
    const [operator = "", second = "", third] = first.keys;
    expect(await runInTime(["keys", "revoke", "-"], { env, input: second })).toMatchObject({
      code: 0,
    });
    const { keys: after } = await start();
    expect([after[0], after[2]]).toEqual([operator, third]);
    expect(first.keys).not.toContain(after[1]);
    await runInTime(["keys", "revoke", "-"], { env, input: operator });
    const { keys: last, told } = await start();
    expect([...first.keys, ...after].filter((key) => last.includes(key))).toEqual([]);
    expect(told).toMatch(
      /^warning: the saved key was revoked\nUpdated profile shop:.* it has another key\.\n$/,
    );
  });

  it.each([
    ["an empty file", "", "no store in"],
    ["a file of another kind", "hello", "is not a pets data file"],
  ])("refuses %s, and changes nothing", async (_what, content, message) => {
    const env = cleanEnv();
    const file = path.join(temporaryFolder(), "some.db");
    writeFileSync(file, content);
    const run = await keys(env, "add", "--data", file);
    expect(run).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(message) });
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});

describe.skipIf(!postgresAvailable)("stores on one database", () => {
  const server = usePostgres();

  it("leave each other their rights at each start, also at the same time", async () => {
    const data = ["--data", await server.createDatabase()];
    const homes = [cleanEnv(), cleanEnv(), { ...cleanEnv(), PETS_SERVE_KEY: "of-a-ci-job" }];
    const start = () => Promise.all(homes.map((env) => serve([...data, "--profile", "shop"], env)));
    const before = await start();
    for (const { child, ended } of before) {
      child.kill("SIGTERM");
      await ended;
    }
    const after = await start();
    const apiKeys = before.map(({ ready }) => ready.apiKey);
    expect(new Set(apiKeys).size).toBe(3);
    expect(after.map(({ ready }) => ready.apiKey)).toEqual(apiKeys);
    const states = () => Promise.all(after.map(({ ready }) => stateFor(ready)));
    expect(await states()).toEqual([200, 200, 200]);
    const { stdout } = await runInTime(["keys", "--json", ...data], { env: cleanEnv() });
    const listed: { id: string; operator: boolean }[] = JSON.parse(stdout);
    expect(listed.map(({ operator }) => operator)).toEqual([true, true, true]);
    await runInTime(["keys", "revoke", keyId(apiKeys[0] ?? ""), ...data], { env: cleanEnv() });
    expect(await states()).toEqual([401, 200, 200]);
  });
});
