import { describe, expect, it } from "vitest";
import { cleanEnv } from "../support/program/program.ts";
import { type Ready, serve, type Served } from "../support/servers/serve.ts";

async function kill({ child, ended }: Served): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

describe("limits of a store that is killed", () => {
  it("continue from at most a second before", async () => {
    const env = cleanEnv();
    // Early in a minute, which is the same for both.
    const words = ["--plan", "1/min,3/day", "--lab", "--clock", "2030-01-01T12:00:02Z"];
    const store = await serve(words, env);
    const { apiKey } = store.ready;
    expect(await list(store.ready)).toBe(200);
    expect(await list(store.ready)).toBe(429);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await kill(store);
    const again = await serve(words, env);
    expect(again.ready.apiKey).toBe(apiKey);
    expect(await list(again.ready)).toBe(429);
  });
});

async function list({ baseUrl, apiKey }: Ready): Promise<number> {
  const reply = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
  return reply.status;
}

describe("animals of a store that is killed", () => {
  it("are kept once their 201 was sent, in ten rounds, and no id is used twice", async () => {
    const env = cleanEnv();
    const told = new Map<number, string>();
    for (let round = 0; round < 10; round += 1) {
      const store = await serve(["--plan", "enterprise"], env);
      const adding = Array.from({ length: 16 }, async (_none, client) => {
        for (let turn = 0; ; turn += 1) {
          const name = `${round} ${client} ${turn}`;
          const pet = await addNamed(store.ready, name).catch(() => undefined);
          if (pet === undefined) return;
          expect(told.has(pet.id)).toBe(false);
          told.set(pet.id, name);
        }
      });
      const enough = told.size + 30 * (round + 1);
      await expect.poll(() => told.size, { interval: 1, timeout: 30_000 }).toBeGreaterThan(enough);
      await kill(store);
      await Promise.all(adding);
    }
    const store = await serve(["--plan", "enterprise"], env);
    const { baseUrl, apiKey } = store.ready;
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const [id, name] of told) {
      const reply = await fetch(`${baseUrl}/pets/${id}`, { headers });
      expect(await reply.json()).toEqual({ id, name, categoryId: 1 });
    }
  }, 120_000);
});

async function addNamed(
  { baseUrl, apiKey }: Ready,
  name: string,
): Promise<{ readonly id: number }> {
  const reply = await fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  if (reply.status !== 201) throw new Error(`responded with ${reply.status}`);
  return reply.json() as Promise<{ id: number }>;
}
