import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { postgresAvailable, sql, stopClock, usePostgres } from "../support/databases/postgres.ts";
import { cleanEnv, runPets, temporaryFolder } from "../support/program/program.ts";
import { listen } from "../support/servers/free-port.ts";
import { serve, serveForPeople } from "../support/servers/serve.ts";

const apiKey = "pets_0123456789abcdefghijklmnopqrstuv";
const authorization = `Bearer ${apiKey}`;
const clients = 16;

/** Starts `pets serve` on the database at `url`, and waits until it is ready; it is killed when the test ends. */
async function serveOn(url: string, words: readonly string[]) {
  const env = { ...cleanEnv(), PETS_SERVE_KEY: apiKey };
  const served = await serve(["--data", url, ...words], env);
  return { ...served, pets: `${served.ready.baseUrl}/pets` };
}

const add = (pets: string, name: string): Promise<Response> => {
  const body = JSON.stringify({ name, categoryId: 1 });
  return fetch(pets, {
    method: "POST",
    headers: { authorization, "Content-Type": "application/json" },
    body,
  });
};

/** Adds from several clients at once while `isOn`, and records each reply. */
async function addWhile(
  targets: readonly string[],
  isOn: () => boolean,
  note: (reply: Response, text: string) => void,
): Promise<void> {
  const client = async (place: number): Promise<void> => {
    const pets = targets[place % targets.length] ?? "";
    for (let number = 0; isOn(); number += 1) {
      try {
        const reply = await add(pets, `pet ${place}/${number}`);
        note(reply, await reply.text());
        if (reply.status !== 201) await delay(20);
      } catch {
        // Cut off: it is unknown whether it was added.
        await delay(20);
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, (_none, place) => client(place)));
}

describe.skipIf(!postgresAvailable)("pets serve on PostgreSQL", () => {
  const server = usePostgres();

  it("admits exactly 300 of 1,000 requests across three stores, years before the database's clock", async () => {
    const url = await server.createDatabase();
    await stopClock(url, Date.parse("2030-01-01T12:00:02Z"));
    const words = ["--plan", "pro", "--seed", "3"];
    const stores = await Promise.all([1, 2, 3].map(() => serveOn(url, words)));
    const counts = new Map<number, number>();
    const waits: number[] = [];
    let sent = 0;
    const ask = async (): Promise<void> => {
      for (let place = (sent += 1); place <= 1_000; place = sent += 1) {
        const reply = await fetch(stores[place % 3]?.pets ?? "", { headers: { authorization } });
        const { status, headers } = reply;
        counts.set(status, (counts.get(status) ?? 0) + 1);
        const date = Date.parse(headers.get("date") ?? "") / 1000;
        waits.push(Number(headers.get("x-ratelimit-reset")) - date);
        if ((await reply.text()).includes('"rate_limited"'))
          waits.push(Number(headers.get("retry-after")));
      }
    };
    await Promise.all(Array.from({ length: 30 }, ask));
    expect(Object.fromEntries(counts)).toEqual({ 200: 300, 429: 700 });
    // 58 s are left by the database's clock; `Date` has whole seconds.
    expect(waits.filter((wait) => wait < 57 || wait > 60)).toEqual([]);
    const [row] = await sql(url, "SELECT count(*)::int AS count FROM pets_store.pets");
    expect(row).toEqual({ count: 3 });
  });

  it("replies with 503 while the database is down, recovers, and loses nothing", async () => {
    const url = await server.createDatabase();
    // A store forgets a key's window when it ends: no minute may turn while the database is down.
    await stopClock(url, Date.parse("2030-01-01T12:00:02Z"));
    const words = ["--plan", "enterprise"];
    const stores = await Promise.all([serveOn(url, words), serveOn(url, words)]);
    // From now on each knows the key and its window.
    for (const { pets } of stores) await add(pets, "first");
    const added: string[] = [];
    const troubles: Response[] = [];
    const others: string[] = [];
    let isOn = true;
    const adding = addWhile(
      stores.map(({ pets }) => pets),
      () => isOn,
      (reply, text) => {
        if (reply.status === 201) added.push(text);
        else if (reply.status === 503 && JSON.parse(text).code === "unavailable")
          troubles.push(reply);
        else others.push(`${reply.status} ${text}`);
      },
    );
    for (const mode of ["immediate", "fast"] as const) {
      const begun = added.length;
      await expect.poll(() => added.length).toBeGreaterThan(begun);
      const met = troubles.length;
      await server.stop(mode);
      await expect.poll(() => troubles.length).toBeGreaterThan(met);
      await server.start();
      const before = added.length;
      await expect.poll(() => added.length).toBeGreaterThan(before + clients);
    }
    isOn = false;
    await adding;
    expect(others).toEqual([]);
    for (const { headers } of troubles) {
      expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(headers.get("x-ratelimit-limit")).toBe("2147483647");
    }
    const rows = await sql(url, "SELECT json FROM pets_store.pets");
    const stored = new Set(rows.map(({ json }) => json));
    expect(added.filter((text) => !stored.has(text))).toEqual([]);
    expect(new Set(added.map((text) => JSON.parse(text).id)).size).toBe(added.length);
    for (const { child, ended } of stores) {
      child.kill("SIGTERM");
      expect(await ended).toBe(0);
    }
  });

  it("shows no password", async () => {
    const url = await server.createDatabase();
    const secret = url.replace("postgres@", "postgres:s3cret@");
    const { child, done } = await serveForPeople(["--verbose", "--data", secret]);
    child.kill("SIGTERM");
    const { code, stdout, stderr } = await done;
    expect(code).toBe(0);
    expect(stdout).toContain(`Data  ${url}\n`);
    expect(stdout + stderr).not.toContain("s3cret");
  });
});

/** A server that requests a password like PostgreSQL with SCRAM, and sends nothing else. */
const askingServer = async (): Promise<string> => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0");
      socket.once("data", () => socket.end("R\0\0\0\x16\0\0\0\x0br=x,s=eA==,i=1"));
    });
  });
  onTestFinished(() => void server.close());
  return `postgres://u@127.0.0.1:${await listen(server)}/shop`;
};

describe("a server that asks for a password", () => {
  it("is reported with where to set the password", async () => {
    const run = await runPets(["serve", "--port", "0", "--data", await askingServer()]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/client password must be a string\n.*PGPASSWORD.*\n$/);
  });

  it("gets the one in ~/.pgpass, without a warning from pg", async () => {
    const home = temporaryFolder();
    writeFileSync(path.join(home, ".pgpass"), "*:*:*:u:s3cret\n", { mode: 0o600 });
    const words = ["serve", "--port", "0", "--data", await askingServer()];
    const { stderr } = await runPets(words, { env: cleanEnv(home) });
    expect(stderr).toMatch(/^pets: .*SASL: .*nonce.*\n$/);
  });
});
