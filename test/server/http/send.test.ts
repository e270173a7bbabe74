import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { totalOf } from "../../../src/server/storage/storage.ts";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  stateOf,
  type Outcome,
} from "../../support/servers/faulty-store.ts";

describe("X-Pets-Fault", () => {
  it("cuts replies off anywhere in their bodies with truncate", async () => {
    const store = await startFaultyStore();
    const ask = (_: unknown, n: number): Promise<Outcome> =>
      askFaulty(store, "POST /v1/pets", { body: petBody(`n${n}`), fault: "truncate" });
    const outcomes = await Promise.all(Array.from({ length: 40 }, ask));
    for (const { headers, body } of outcomes) {
      expect(Buffer.byteLength(body)).toBeLessThan(Number(headers["content-length"]));
      expect(headers).toHaveProperty("x-ratelimit-limit");
    }
    expect(new Set(outcomes.map(({ body }) => body.length)).size).toBeGreaterThan(5);
  });

  it("sends a prefix of the list with truncate", async () => {
    const store = await startFaultyStore({ seed: 5 });
    const whole = await askFaulty(store, "GET /v1/pets");
    const cut = await askFaulty(store, "GET /v1/pets", { fault: "truncate" });
    expect(cut.headers["content-length"]).toBe(whole.headers["content-length"]);
    expect(cut.body.length).toBeLessThan(whole.body.length);
    // A character may be cut in two.
    expect(whole.body).toContain(cut.body.replace(/\uFFFD$/, ""));
  });

  it("leaves no complete reply to HEAD with truncate", async () => {
    const store = await startFaultyStore();
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

describe("--latency", () => {
  it("delays every reply below /v1 by at least the shortest time", async () => {
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
});

/** A stop that waits for something would take this long, in ms, or longer. */
const graceMs = 9_000;

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
    const start = performance.now();
    await store.close();
    expect((await hanging).status).toBe(0);
    expect(performance.now() - start).toBeLessThan(graceMs);
  });

  it("closes a hanging connection when its client leaves, even in the middle of a body", async () => {
    const store = await startFaultyStore();
    const socket = connect({ port: store.port, host: "127.0.0.1", allowHalfOpen: true });
    const closed = new Promise((close) => socket.once("end", close).once("error", close));
    const head = `Host: localhost\r\nAuthorization: Bearer ${store.apiKey}\r\nX-Pets-Fault: hang`;
    socket.end(`POST /v1/pets HTTP/1.1\r\n${head}\r\nContent-Length: 50\r\n\r\n{"na`);
    socket.resume();
    await closed;
    socket.destroy();
    expect(await stateOf(store)).toMatchObject({ pets: 0, requests: { 0: 1 } });
  });

  it("follows a delayed reply, even if the client keeps the connection", async () => {
    const { store, handled } = await startObserved();
    const socket = connect({ port: store.port, host: "127.0.0.1", allowHalfOpen: true });
    const said: Buffer[] = [];
    socket.on("data", (chunk) => said.push(chunk));
    const ended = new Promise((end) => socket.once("end", end));
    const head = `Host: localhost\r\nAuthorization: Bearer ${store.apiKey}\r\nX-Pets-Fault: delay=300`;
    socket.write(`GET /v1/pets HTTP/1.1\r\n${head}\r\n\r\n`);
    await handled;
    const start = performance.now();
    await store.close();
    await ended;
    socket.destroy();
    expect(performance.now() - start).toBeLessThan(graceMs);
    expect(String(Buffer.concat(said))).toMatch(/^HTTP\/1.1 200 .*\[\]$/s);
  });

  it("drops a delayed reply when its client leaves", async () => {
    const store = await startFaultyStore();
    const asked = askFaulty(store, "GET /v1/pets", { fault: "delay=3600000", patienceMs: 100 });
    expect((await asked).error).toBe("no answer in time");
    const start = performance.now();
    await store.close();
    expect(performance.now() - start).toBeLessThan(graceMs);
    const late = connect(store.port, "127.0.0.1");
    await expect(new Promise((_, reject) => late.once("error", reject))).rejects.toThrow("REFUSED");
  });
});
