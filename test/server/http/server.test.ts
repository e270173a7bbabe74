import { once } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";
import {
  addOf,
  ask,
  drip,
  head,
  isServing,
  openClient,
  post,
  rex,
  startAdding,
  startImpatientStore,
} from "../../support/servers/wire.ts";

/** Waits longer than an impatient store does for any client, by its own timers: it closes each idle connection in turn. */
async function outwait(store: TestStore): Promise<void> {
  for (let idle = 0; idle < 3; idle += 1) await (await openClient(store)).closed;
}

describe("slow clients", () => {
  const rest = "x".repeat(500);
  it.each<[string, (store: TestStore) => string, string]>([
    ["nothing", () => "", ""],
    ["half a request", () => "GET /v1/pe", ""],
    ["headers byte by byte", () => "GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ", rest],
    ["a body byte by byte", (store) => post(store, "Content-Length: 500"), rest],
    [
      "a chunk byte by byte",
      (store) => `${post(store, "Transfer-Encoding: chunked")}200\r\n`,
      rest,
    ],
  ])("get a 408 if they send %s", async (_what, begin, dripped) => {
    const store = await startImpatientStore();
    const client = await openClient(store);
    const start = begin(store);
    client.socket.write(start);
    drip(client, dripped, 10);
    await client.closed;
    const [reply] = client.replies();
    const limit = start.includes(store.apiKey) ? "2147483647" : "60";
    expect(reply).toMatchObject({ status: 408, headers: { "x-ratelimit-limit": limit } });
    expect(JSON.parse(reply?.body ?? "")).toMatchObject({ code: "bad_request", status: 408 });
    expect(await store.storage.isEmpty()).toBe(true);
    await expect.poll(() => isServing(store)).toBe(true);
  });

  it("can't keep an idle connection forever", async () => {
    const store = await startImpatientStore();
    const client = await openClient(store);
    client.socket.write(head(store, "GET /v1/pets"));
    await client.closed;
    expect(client.replies().map(({ status }) => status)).toEqual([200]);
  });

  it("are disconnected if they keep sending requests and never read", async () => {
    const store = await startImpatientStore();
    const name = "x".repeat(60_000);
    await store.storage.addAll(Array.from({ length: 100 }, () => ({ name, categoryId: 1n })));
    const { socket, received, closed } = await openClient(store);
    socket.pause();
    // One page is more than the system buffers for a client.
    socket.write(head(store, "GET /v1/pets?limit=100").repeat(8));
    const ended = async () => JSON.parse((await ask(store, "GET", "/_store/requests")).body).length;
    for (let [before, now] = [0, 0]; now === 0 || now > before; before = now, now = await ended())
      await outwait(store);
    socket.resume();
    await closed;
    const count = received().toString("latin1").split("HTTP/1.1 200").length - 1;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(8);
    await expect.poll(() => isServing(store)).toBe(true);
  });
});

/** Returns a storage whose lists wait for `go`. */
function waitingStorage() {
  const { promise, resolve: go } = Promise.withResolvers<void>();
  const storage = memoryStorage();
  const list = vi.fn<typeof storage.list>((query) => promise.then(() => storage.list(query)));
  return { storage: { ...storage, list }, go };
}

describe("connections", () => {
  it("close after an HTTP/1.0 reply, unless asked to stay open", async () => {
    const store = await startTestStore();
    const old = (more: string) =>
      `GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${store.apiKey}\r\n${more}\r\n`;
    const client = await openClient(store);
    client.socket.write(old("Connection: keep-alive\r\n"));
    await once(client.socket, "data");
    client.socket.write(old(""));
    await client.closed;
    expect(client.replies().map(({ status, headers }) => [status, headers.connection])).toEqual([
      [200, "keep-alive"],
      [200, "close"],
    ]);
  });

  it("survive clients that leave at once, in the middle, and during the reply", async () => {
    const store = await startTestStore({ seed: 100 });
    const texts = [
      "",
      "GET /v1",
      head(store, "GET /v1/pets?limit=100"),
      post(store, "Content-Length: 9"),
    ];
    for (const text of texts)
      for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
        const { socket } = await openClient(store);
        socket.write(text);
        socket[leave]();
      }
    await expect.poll(() => isServing(store)).toBe(true);
  });

  it("are kept while the store itself has not answered", async () => {
    const { storage, go } = waitingStorage();
    const store = await startImpatientStore({ storage });
    const client = await openClient(store);
    client.socket.write(head(store, "GET /v1/pets"));
    await outwait(store);
    expect(client.socket.destroyed).toBe(false);
    go();
    await client.closed;
    expect(client.replies()[0]?.status).toBe(200);
  });

  it("are closed at once where there are too many, and the others left, whatever they do", async () => {
    const { storage, go } = waitingStorage();
    const store = await startTestStore({ storage, options: { maxConnections: 2 } });
    const [busy, idle] = [await openClient(store), await openClient(store)];
    busy.socket.write(head(store, "GET /v1/pets"));
    await vi.waitUntil(() => storage.list.mock.calls.length === 1, { timeout: 60_000 });
    const late = await openClient(store);
    await late.closed;
    expect(late.received()).toHaveLength(0);
    go();
    await once(busy.socket, "data");
    expect(busy.replies()[0]?.status).toBe(200);
    idle.socket.destroy();
    await idle.closed;
    await expect.poll(() => isServing(store)).toBe(true);
  });

  it("do not end the store if they are many", async () => {
    const store = await startTestStore();
    const clients = await Promise.all(Array.from({ length: 1_000 }, () => openClient(store)));
    await expect.poll(() => isServing(store)).toBe(true);
    for (const { socket } of clients) socket.destroy();
  });
});

it("a request may have thousands of headers, as far as they fit into 64 KiB", async () => {
  const store = await startTestStore();
  const [reply] = await sendRaw(store.port, [
    head(store, "GET /v1/pets", ...Array(3_000).fill("a: b")),
  ]);
  expect(reply?.status).toBe(200);
});

describe("pipelined requests", () => {
  it("are answered one after the other", async () => {
    const store = await startTestStore();
    const list = head(store, "GET /v1/pets");
    const parts = [addOf(store) + list + addOf(store) + list];
    const replies = await sendRaw(store.port, parts, { expected: 4 });
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 201, 200]);
    expect(JSON.parse(replies[3]?.body ?? "")).toHaveLength(2);
  });

  it.each([
    ["asked for it", (text: string) => text.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")],
    ["named no host", (text: string) => text.replace("localhost", "a/b")],
  ])("add nothing after the last reply of a connection, for a client that %s", async (...row) => {
    const [, make] = row;
    const store = await startTestStore();
    const parts = [make(head(store, "GET /v1/pets")) + addOf(store).repeat(3)];
    expect(await sendRaw(store.port, parts, { expected: 9 })).toHaveLength(1);
    expect(await store.storage.isEmpty()).toBe(true);
  });
});

describe("what is not a request", () => {
  const start = "POST / HTTP/1.1\r\nHost: a\r\n";
  const long = "x".repeat(80_000);

  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["an unknown method", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["two lengths", `${start}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400],
    ["length and chunks", `${start}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 400],
    ["chunked that is not last", `${start}Transfer-Encoding: chunked, gzip\r\n\r\n`, 400],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["endless headers", `${start}X: ${long}\r\n\r\n`, 431],
    ["a target that is too long", `GET /${long} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])("gets an Error body for %s, and the server continues", async (_what, text, status) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [text]);
    expect(reply).toMatchObject({
      status,
      headers: {
        "content-type": "application/json",
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "59",
        "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
        connection: "close",
      },
    });
    expect(JSON.parse(reply?.body ?? "")).toMatchObject({ status });
    await expect.poll(() => isServing(store)).toBe(true);
  });

  it.each([
    ["a list", (store: { apiKey: string }) => head(store, "GET /v1/pets"), 200, "[]"],
    ["an add", addOf, 201, '{"id":1,"name":"Rex","categoryId":1}'],
  ])("does not prevent %s before it, and closes the connection", async (...row) => {
    const [, make, status, body] = row;
    const store = await startTestStore();
    const parts = [`${make(store)}garbage\r\n\r\n`];
    const replies = await sendRaw(store.port, parts, { expected: 9 });
    expect(replies).toMatchObject([{ status, body, headers: { connection: "close" } }]);
  });

  it("does not prevent pipelined requests before it", async () => {
    const store = await startTestStore();
    const parts = [`${addOf(store)}${head(store, "GET /v1/pets")}garbage\r\n\r\n`];
    const replies = await sendRaw(store.port, parts, { expected: 9 });
    expect(replies.map(({ status }) => status)).toEqual([201, 200]);
    expect(replies[1]?.headers.connection).toBe("close");
    expect(store.verdict("start").malformed).toEqual({ 400: 1 });
  });

  it("smuggles no request past a length and chunks", async () => {
    const store = await startTestStore();
    const headers = ["Content-Length: 4", "Transfer-Encoding: chunked"];
    const parts = [`${head(store, "GET /v1/pets", ...headers)}0\r\n\r\n${addOf(store)}`];
    const replies = await sendRaw(store.port, parts, { expected: 9 });
    expect(replies.map(({ status }) => status)).toEqual([400]);
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it.each([
    ["never comes", ""],
    ["turns out to be broken", "zz\r\n"],
  ])("gets no second reply after an early one to a request whose body %s", async (_what, body) => {
    const store = await startImpatientStore();
    const client = await openClient(store);
    client.socket.write(`${start}Transfer-Encoding: chunked\r\n\r\n`.replace(" / ", " /v1/pets "));
    await once(client.socket, "data");
    client.socket.write(body);
    await client.closed;
    expect(client.replies().map(({ status }) => status)).toEqual([401]);
    await expect.poll(() => isServing(store)).toBe(true);
  });
});

describe("shutdown", () => {
  it("does not wait for connections without a request", async () => {
    const store = await startTestStore();
    await openClient(store);
    const [idle, half] = [await openClient(store), await openClient(store)];
    idle.socket.write(head(store, "GET /v1/pets"));
    await once(idle.socket, "data");
    await new Promise<unknown>((sent) => half.socket.write("GET /v1/pe", sent));
    const begun = performance.now();
    await store.close(100_000);
    // Otherwise it would take the time that requests in flight get.
    expect(performance.now() - begun).toBeLessThan(60_000);
  });

  it("waits for a request in flight, and refuses new ones", async () => {
    const store = await startTestStore();
    const client = await startAdding(store);
    const closing = store.close();
    const late = sendRaw(store.port, [head(store, "GET /v1/pets")]);
    await expect(late).rejects.toThrow("ECONNREFUSED");
    client.socket.write(rex);
    await client.closed;
    expect(client.replies()[1]).toMatchObject({ status: 201, headers: { connection: "close" } });
    await closing;
  });

  it("adds no animal whose reply can no longer be sent", async () => {
    const store = await startTestStore();
    const add = store.storage.add.bind(store.storage);
    let added = 0;
    store.storage.add = async (pet) => {
      added += 1;
      if (added === 3) void store.close();
      return add(pet);
    };
    const replies = await sendRaw(store.port, [addOf(store).repeat(99)], { expected: 99 });
    expect(replies.every(({ status }) => status === 201)).toBe(true);
    expect(replies.length).toBeLessThan(99);
    expect(added).toBe(replies.length);
  });

  it("waits at most the grace period for a request that does not end", async () => {
    const store = await startTestStore();
    const client = await startAdding(store, 100);
    await store.close(20);
    await client.closed;
    expect(await store.storage.isEmpty()).toBe(true);
    expect(store.faults).toEqual([]);
  });
});
