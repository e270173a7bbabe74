import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cleanEnv, type Finished, runPets, script } from "../support/program.ts";
import { postgresAvailable, usePostgres } from "../support/postgres.ts";

interface Ready {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly data: string;
}

/** The built store in this environment, once it is ready; killed when the test ends. */
async function serve(env: Record<string, string>, words: readonly string[] = []) {
  const args = [script, "serve", "--json", "--port", "0", ...words];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(child.stdout, "data");
  const ready: Ready = JSON.parse(String(line));
  const kill = async (): Promise<void> => {
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  return { ...ready, kill };
}

const statusFor = async ({ baseUrl }: Ready, apiKey: string): Promise<number> =>
  (await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } })).status;

const keys = (env: Record<string, string>, ...words: readonly string[]): Promise<Finished> =>
  runPets(["keys", ...words], { env });

const made = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const someKey = expect.stringMatching(/^pets_\w{32}$/);
const someId = expect.stringMatching(/^[0-9a-f]{16}$/);

describe("pets keys", () => {
  it("makes and revokes keys of a store that runs, which holds at once", async () => {
    const env = cleanEnv();
    const store = await serve(env);
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
      { id: someId, plan: "free", createdAt: made },
      { id, ...rest },
    ]);
    expect(listed.stdout).not.toContain("pets_");

    const revoked = await keys(env, "revoke", id);
    expect(revoked).toEqual({ code: 0, signal: null, stdout: "", stderr: `Revoked key ${id}.\n` });
    expect(await statusFor(store, apiKey)).toBe(401);
    expect(await statusFor(store, store.apiKey)).toBe(200);
    expect(await keys(env, "revoke", id)).toMatchObject({
      code: 2,
      stderr: `pets: there is no key with the id "${id}"\nsee \`pets keys list\`\n`,
    });
  });

  it("prints the key alone with --quiet, and a table that tells that it is shown once", async () => {
    const env = cleanEnv();
    const store = await serve(env);
    const quiet = await keys(env, "add", "-q");
    expect(quiet).toMatchObject({ stdout: expect.stringMatching(/^pets_\w{32}\n$/), stderr: "" });
    expect(await statusFor(store, quiet.stdout.trim())).toBe(200);
    const table = await keys(env, "add", "--plan", "pro");
    expect(table.stdout).toMatch(/^KEY +ID +PLAN +CREATED\npets_\w{32} +[0-9a-f]{16} +pro +\S+\n$/);
    expect(table.stderr).toBe("The key is shown this once: keep it.\n");
    const bare = await keys(env, "--data", store.data, "--fields", "plan", "-o", "csv");
    expect(bare.stdout).toBe("plan\r\nfree\r\nfree\r\npro\r\n");
  });

  it("works on the data of a store that does not run, and leaves it to be served", async () => {
    const env = cleanEnv();
    const before = await serve(env, ["--seed", "3"]);
    await before.kill();
    const { stdout } = await keys(env, "add", "--quiet");
    const after = await serve(env);
    expect(await statusFor(after, stdout.trim())).toBe(200);
  });

  it.each<readonly [string, (folder: string) => string, number, string]>([
    ["no file", (folder) => path.join(folder, "no/store.db"), 1, "there is no store in"],
    [
      "an empty file",
      (folder) => {
        writeFileSync(path.join(folder, "empty"), "");
        return path.join(folder, "empty");
      },
      1,
      "there is no store in",
    ],
    [
      "a file of another kind",
      (folder) => {
        writeFileSync(path.join(folder, "text"), "hello");
        return path.join(folder, "text");
      },
      1,
      "is no store's data file",
    ],
    ["no name", () => "", 2, "--data must be the name of a file"],
    ["another address", () => "http://localhost/x", 2, "--data must be the name of a file"],
  ])("refuses %s, and changes nothing", async (_what, name, code, message) => {
    const env = cleanEnv();
    const file = name(env.HOME ?? "");
    const before = existsSync(file) ? readFileSync(file) : undefined;
    for (const words of [["list"], ["add"], ["revoke", "x"]]) {
      const run = await keys(env, ...words, "--data", file);
      expect(run).toMatchObject({ code, stdout: "" });
      expect(run.stderr).toContain(message);
    }
    expect(existsSync(file) ? readFileSync(file) : undefined).toEqual(before);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  it("refuses a plan that there is not, before anything is opened", async () => {
    const run = await keys(cleanEnv(), "add", "--plan", "gold");
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("--plan must be free, pro");
  });
});

describe.skipIf(!postgresAvailable)("pets keys on PostgreSQL", () => {
  const server = usePostgres();

  it("makes and revokes keys of a store that runs", async () => {
    const env = cleanEnv();
    const data = ["--data", await server.createDatabase()];
    const store = await serve(env, data);
    const { stdout } = await keys(env, "add", "--json", ...data);
    const { apiKey, id } = JSON.parse(stdout);
    expect(await statusFor(store, apiKey)).toBe(200);
    expect((await keys(env, "revoke", id, ...data)).code).toBe(0);
    expect(await statusFor(store, apiKey)).toBe(401);
  });
});

describe("limits of a store that is killed", () => {
  it("go on where they were a second before", async () => {
    const env = cleanEnv();
    const store = await serve(env, ["--plan", "1/min,3/day"]);
    const minute = 60_000;
    // The minute may turn between the first store and the second, the day hardly.
    await new Promise((resolve) => {
      const left = minute - (Date.now() % minute);
      setTimeout(resolve, left < 5_000 ? left : 0);
    });
    expect(await statusFor(store, store.apiKey)).toBe(200);
    expect(await statusFor(store, store.apiKey)).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await store.kill();
    const again = await serve(env, ["--plan", "1/min,3/day"]);
    expect(again.apiKey).toBe(store.apiKey);
    expect(await statusFor(again, again.apiKey)).toBe(429);
  });
});

describe("animals of a store that is killed", () => {
  it("are there when they got their 201, ten times over, and no id twice", async () => {
    const env = cleanEnv();
    const told = new Map<number, string>();
    for (let round = 0; round < 10; round += 1) {
      const store = await serve(env, ["--plan", "enterprise"]);
      const adding = Array.from({ length: 16 }, async (_none, client) => {
        for (let turn = 0; ; turn += 1) {
          const name = `${round} ${client} ${turn}`;
          const pet = await addNamed(store, name).catch(() => undefined);
          if (pet === undefined) return;
          expect(told.has(pet.id)).toBe(false);
          told.set(pet.id, name);
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 100 + 30 * round));
      await store.kill();
      await Promise.all(adding);
    }
    expect(told.size).toBeGreaterThan(10);
    const store = await serve(env, ["--plan", "enterprise"]);
    const headers = { authorization: `Bearer ${store.apiKey}` };
    for (const [id, name] of told) {
      const reply = await fetch(`${store.baseUrl}/pets/${id}`, { headers });
      expect(await reply.json()).toEqual({ id, name, categoryId: 1 });
    }
  }, 120_000);
});

async function addNamed(store: Ready, name: string): Promise<{ readonly id: number }> {
  const reply = await fetch(`${store.baseUrl}/pets`, {
    method: "POST",
    headers: { authorization: `Bearer ${store.apiKey}` },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  if (reply.status !== 201) throw new Error(`answered ${reply.status}`);
  return reply.json() as Promise<{ id: number }>;
}
