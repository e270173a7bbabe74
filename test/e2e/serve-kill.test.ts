import { expect, it } from "vitest";
import { cleanEnv } from "../support/program/program.ts";
import { type Ready, serve } from "../support/servers/serve.ts";

/** Adds an animal, and returns its id. Throws unless the store says that it has it. */
async function add({ baseUrl, apiKey }: Ready, name: string): Promise<number> {
  const reply = await fetch(`${baseUrl}/pets`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  if (reply.status !== 201) throw new Error(`responded with ${reply.status}`);
  return ((await reply.json()) as { id: number }).id;
}

it("animals of a store that is killed are kept once their 201 was sent, in ten rounds, and no id is used twice", async () => {
  const env = cleanEnv();
  const told = new Map<number, string>();
  for (let round = 0; round < 10; round += 1) {
    const { child, ended, ready } = await serve(["--plan", "enterprise"], env);
    const adding = Array.from({ length: 16 }, async (_none, client) => {
      for (let turn = 0; ; turn += 1) {
        const name = `${round} ${client} ${turn}`;
        const id = await add(ready, name).catch(() => undefined);
        if (id === undefined) return;
        expect(told.has(id)).toBe(false);
        told.set(id, name);
      }
    });
    const enough = told.size + 30 * (round + 1);
    await expect.poll(() => told.size, { interval: 1, timeout: 30_000 }).toBeGreaterThan(enough);
    child.kill("SIGKILL");
    await Promise.all([ended, ...adding]);
  }
  const { ready } = await serve(["--plan", "enterprise"], env);
  const headers = { authorization: `Bearer ${ready.apiKey}` };
  for (const [id, name] of told) {
    const reply = await fetch(`${ready.baseUrl}/pets/${id}`, { headers });
    expect(await reply.json()).toEqual({ id, name, categoryId: 1 });
  }
}, 120_000);
