import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { makeStoreClock } from "../../../src/server/clock.ts";
import { keyRecord } from "../../../src/server/keys.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { startStore } from "../../../src/server/store.ts";
import { sendRaw, parseReplies } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import {
  rex,
  head,
  post,
  startImpatientStore,
  openClient,
  isServing,
} from "../../support/servers/wire.ts";

describe("pipelined requests", () => {
  it("are answered one after the other", async () => {
    const store = await startTestStore();
    const add = `${post(store, `Content-Length: ${rex.length}`)}${rex}`;
    const list = head(store, "GET /v1/pets");
    const replies = await sendRaw(store.port, [add + list + add + list], { expected: 4 });
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 201, 200]);
    expect(JSON.parse(replies[3]?.body ?? "")).toHaveLength(2);
  });

  it.each([
    ["asked for it", (text: string) => text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")],
    ["named no host", (text: string) => text.replace("localhost", "a/b")],
  ])(
    "add nothing after the last reply of a connection, for a client that %s",
    async (_what, make) => {
      const store = await startTestStore();
      const add = `${post(store, `Content-Length: ${rex.length}`)}${rex}`;
      const replies = await sendRaw(
        store.port,
        [make(head(store, "GET /v1/pets")) + add.repeat(3)],
        {
          expected: 9,
        },
      );
      expect(replies).toHaveLength(1);
      expect(await store.storage.isEmpty()).toBe(true);
    },
  );
});

/** Returns a storage whose lists wait for `go`. */
function waitingStorage() {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  const storage = memoryStorage();
  const list = vi.fn<typeof storage.list>((query) => promise.then(() => storage.list(query)));
  return { storage: { ...storage, list }, go };
}

describe("many connections", () => {
  it("close a new one at once, and leave the others, whatever they do", async () => {
    const { storage, go } = waitingStorage();
    const store = await startTestStore({ storage, options: { maxConnections: 2 } });
    const [busy, idle] = [await openClient(store), await openClient(store)];
    busy.socket.write(head(store, "GET /v1/pets"));
    await vi.waitUntil(() => storage.list.mock.calls.length === 1);
    const late = await openClient(store);
    await late.closed;
    expect(late.received()).toHaveLength(0);
    go();
    await once(busy.socket, "data");
    expect(parseReplies(busy.received())[0]?.status).toBe(200);
    idle.socket.destroy();
    await idle.closed;
    await expect.poll(() => isServing(store).catch(() => false)).toBe(true);
  });

  it("do not end the store", async () => {
    const store = await startTestStore();
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => openClient(store)));
    expect(await isServing(store)).toBe(true);
    for (const { socket } of clients) socket.destroy();
  });
});

describe("stalled connections", () => {
  it("are closed if a client keeps sending requests and never reads", async () => {
    const store = await startImpatientStore();
    const name = "x".repeat(60_000);
    await store.storage.addAll(Array.from({ length: 100 }, () => ({ name, categoryId: 1n })));
    const { socket, received, closed } = await openClient(store);
    socket.pause();
    // One page is more than the system buffers for a client.
    socket.write(head(store, "GET /v1/pets?limit=100").repeat(8));
    await new Promise((wake) => setTimeout(wake, 1_000));
    socket.resume();
    await closed;
    const count = received().toString("latin1").split("HTTP/1.1 200").length - 1;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(8);
    expect(await isServing(store)).toBe(true);
  });

  it("are kept while the store itself has not answered", async () => {
    const { storage, go } = waitingStorage();
    const store = await startImpatientStore({ storage });
    const client = await openClient(store);
    client.socket.write(head(store, "GET /v1/pets"));
    await new Promise((wake) => setTimeout(wake, 700));
    expect(client.socket.destroyed).toBe(false);
    go();
    await client.closed;
    expect(parseReplies(client.received())[0]?.status).toBe(200);
  });
});

describe("shutdown", () => {
  it("does not wait for connections without a request", async () => {
    const store = await startTestStore();
    const silent = connect(store.port, "127.0.0.1");
    const idle = connect(store.port, "127.0.0.1");
    idle.write(head(store, "GET /v1/pets"));
    await new Promise((answered) => idle.once("data", answered));
    const half = connect(store.port, "127.0.0.1");
    await new Promise<unknown>((sent) => half.write("GET /v1/pe", sent));
    for (const socket of [silent, idle, half]) socket.on("error", () => {});
    const start = performance.now();
    await store.close();
    // Otherwise it would take the 10 s that requests in flight get.
    expect(performance.now() - start).toBeLessThan(9_000);
  });

  it("waits for a request in flight, and refuses new ones", async () => {
    const store = await startTestStore();
    const socket = connect(store.port, "127.0.0.1");
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => (received = Buffer.concat([received, chunk])));
    const ended = new Promise((end) => socket.once("end", end));
    // The 100 shows that the store has begun to read the body.
    const begun = new Promise((begin) => socket.once("data", begin));
    socket.write(post(store, "Expect: 100-continue", `Content-Length: ${rex.length}`));
    await begun;
    const closing = store.close();
    await expect(sendRaw(store.port, [head(store, "GET /v1/pets")])).rejects.toThrow(
      "ECONNREFUSED",
    );
    socket.write(rex);
    await ended;
    socket.end();
    expect(parseReplies(received)[1]).toMatchObject({
      status: 201,
      headers: { connection: "close" },
    });
    await closing;
  });

  it("adds no animal whose reply can no longer be sent", async () => {
    const store = await startTestStore();
    const add = `${post(store, `Content-Length: ${rex.length}`)}${rex}`;
    const storage = { ...store.storage };
    let added = 0;
    Object.assign(store.storage, {
      add: async (pet: Parameters<typeof storage.add>[0]) => {
        added += 1;
        if (added === 3) void store.close();
        return storage.add(pet);
      },
    });
    const replies = await sendRaw(store.port, [add.repeat(99)], { expected: 99 });
    expect(replies.every(({ status }) => status === 201)).toBe(true);
    expect(replies.length).toBeLessThan(99);
    expect(added).toBe(replies.length);
  });

  it("waits at most the grace period for a request that does not end", async () => {
    const storage = memoryStorage();
    await storage.putKey(keyRecord("a-key", "free"), 0);
    const faults: unknown[] = [];
    const store = await startStore({
      host: "127.0.0.1",
      port: 0,
      clock: makeStoreClock({ now: Date.now, monotonic: () => performance.now() }),
      openData: async () => ({ storage, limits: memoryLedger() }),
      onError: (error) => faults.push(error),
    });
    const socket = connect(store.port, "127.0.0.1");
    const begun = new Promise((begin) => socket.once("data", begin));
    const closed = new Promise((close) => socket.on("error", () => {}).once("close", close));
    socket.write(post({ apiKey: "a-key" }, "Expect: 100-continue", "Content-Length: 100"));
    await begun;
    await store.stop(20);
    await closed;
    expect(await storage.isEmpty()).toBe(true);
    expect(faults).toEqual([]);
    await storage.close();
  });
});
