import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runInTime } from "../support/command/world.ts";
import { cleanEnv, temporaryFolder } from "../support/program/program.ts";
import { serve, type Served } from "../support/servers/serve.ts";

const statusFor = async ({ ready: { baseUrl } }: Served, apiKey: string): Promise<number> =>
  (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } })).status;

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
