import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { totalOf } from "../../../src/server/storage/storage.ts";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { head, openClient, post } from "../../support/servers/wire.ts";

describe("X-Pets-Fault", () => {
  it("cuts replies off anywhere in their bodies with truncate, and sends nothing to HEAD", async () => {
    const store = await startFaultyStore({ seed: 5, clock: () => 1e12 });
    const whole = await askFaulty(store, "GET /v1/pets");
    const ask = () => askFaulty(store, "GET /v1/pets", { fault: "truncate" });
    const outcomes = await Promise.all(Array.from({ length: 40 }, ask));
    for (const { headers, body } of outcomes) {
      expect(headers).toEqual(whole.headers);
      expect(body.length).toBeLessThan(whole.body.length);
      // A character may be cut in two.
      expect(whole.body.startsWith(body.replace(/\uFFFD$/, ""))).toBe(true);
    }
    expect(new Set(outcomes.map(({ body }) => body.length)).size).toBeGreaterThan(5);
    expect((await askFaulty(store, "HEAD /v1/pets", { fault: "truncate" })).status).toBe(0);
  });

  it("delays the reply, not the work, with delay=MS", async () => {
    const store = await startFaultyStore();
    const start = performance.now();
    let isAnswered = false;
    const asked = askFaulty(store, "POST /v1/pets", { body: petBody(), fault: "delay=300" });
    void asked.then(() => (isAnswered = true));
    while (totalOf(await store.storage.countByStatus()) === 0) await sleep(5);
    expect(isAnswered).toBe(false);
    expect((await asked).status).toBe(201);
    expect(performance.now() - start).toBeGreaterThan(295);
  });
});

it("--latency delays every reply below /v1 by at least the shortest time", async () => {
  const store = await startFaultyStore({ latency: "150±50" });
  const times = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const start = performance.now();
      await askFaulty(store, "GET /v1/pets");
      return performance.now() - start;
    }),
  );
  expect(Math.min(...times)).toBeGreaterThan(95);
});

it("a slow reply arrives in drops over its time, or until its client leaves", async () => {
  const script =
    '{"on":"*","do":"slow","over":"200ms","times":2}\n{"on":"*","do":"slow","over":"1h"}';
  const store = await startFaultyStore({ script, seed: 3 });
  const start = performance.now();
  const whole = await askFaulty(store, "GET /v1/pets");
  expect(performance.now() - start).toBeGreaterThan(195);
  expect(JSON.parse(whole.body)).toHaveLength(3);
  expect((await askFaulty(store, "HEAD /v1/pets")).status).toBe(200);
  const cut = await askFaulty(store, "GET /v1/pets", { patienceMs: 100 });
  expect(cut).toMatchObject({ status: 200, body: "", error: "no answer in time" });
  await expect.poll(() => stateOf(store)).toMatchObject({ requests: { 200: 3 } });
});

/** Stops a store, which waits for nothing. */
async function closeInTime(store: { close(graceMs: number): Promise<void> }): Promise<void> {
  const start = performance.now();
  await store.close(100_000);
  expect(performance.now() - start).toBeLessThan(60_000);
}

/** Starts a store; `handled` resolves when a response to a list is decided. */
async function startObserved() {
  const storage = memoryStorage();
  const list = storage.list.bind(storage);
  const handled = new Promise<void>((resolve) => {
    storage.list = async (query) => {
      const body = await list(query);
      setImmediate(resolve);
      return body;
    };
  });
  return { store: await startFaultyStore({ storage }), handled };
}

describe("shutdown", () => {
  it("does not wait for hanging connections", async () => {
    const { store, handled } = await startObserved();
    const hanging = askFaulty(store, "GET /v1/pets", { fault: "hang" });
    await handled;
    await closeInTime(store);
    expect((await hanging).status).toBe(0);
  });

  it("closes a hanging connection when its client leaves, even in the middle of a body", async () => {
    const store = await startFaultyStore();
    const { socket, closed } = await openClient(store);
    socket.end(`${post(store, "X-Pets-Fault: hang", "Content-Length: 50")}{"na`);
    await closed;
    expect(await stateOf(store)).toMatchObject({ pets: 0, requests: { 0: 1 } });
  });

  it("follows a delayed reply, even if the client keeps the connection", async () => {
    const { store, handled } = await startObserved();
    const client = await openClient(store, { allowHalfOpen: true });
    client.socket.write(head(store, "GET /v1/pets", "X-Pets-Fault: delay=300"));
    const ended = new Promise((end) => client.socket.once("end", end));
    await handled;
    await closeInTime(store);
    await ended;
    expect(client.replies()).toMatchObject([{ status: 200, body: "[]" }]);
  });

  it("drops a delayed reply when its client leaves", async () => {
    const store = await startFaultyStore();
    const asked = askFaulty(store, "GET /v1/pets", { fault: "delay=3600000", patienceMs: 100 });
    expect((await asked).error).toBe("no answer in time");
    await closeInTime(store);
    await expect(openClient(store)).rejects.toThrow("REFUSED");
  });
});
