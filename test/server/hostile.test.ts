import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { serverTimes } from "../../src/server/http/server.ts";
import { memoryStorage } from "../../src/server/storage/sqlite/index.ts";
import { parseReplies, sendRaw } from "../support/raw.ts";
import { startTestStore, type TestStore, type TestStoreOptions } from "../support/store.ts";

const rex = '{"name":"Rex","categoryId":1}';

const head = ({ apiKey }: TestStore, first: string, ...more: readonly string[]): string =>
  [`${first} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${apiKey}`, ...more, "", ""].join(
    "\r\n",
  );

/** A store with little patience. */
const startHastyStore = (options: TestStoreOptions = {}) => {
  const times = {
    ...serverTimes,
    headersTimeout: 200,
    requestTimeout: 300,
    keepAliveTimeout: 100,
    connectionsCheckingInterval: 20,
    timeout: 300,
  };
  return startTestStore({ ...options, listening: { times, ...options.listening } });
};

interface Client {
  readonly socket: Socket;
  readonly received: () => Buffer;
  readonly closed: Promise<void>;
}

/** A connection, and what comes over it. */
async function open({ port }: TestStore): Promise<Client> {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "connect");
  return { socket, received: () => Buffer.concat(chunks), closed };
}

/** Sends `text` byte by byte, one in `ms`, as long as the connection is open. */
function drip({ socket }: Client, text: string, ms: number): void {
  const bytes = text.split("");
  const timer = setInterval(() => {
    const byte = bytes.shift();
    if (byte === undefined || socket.destroyed) clearInterval(timer);
    else socket.write(byte);
  }, ms);
  onTestFinished(() => clearInterval(timer));
}

/** Whether the store answers, and met nothing unexpected. */
const isServing = async (store: TestStore): Promise<boolean> => {
  const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets")]);
  return reply?.status === 200 && store.faults.length === 0;
};

describe("slow clients", () => {
  it.each([
    ["nothing", ""],
    ["the headers byte by byte", `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(500)}`],
    ["half a request", "GET /v1/pe"],
  ])("are told 408 when they send %s", async (_what, text) => {
    const store = await startHastyStore();
    const client = await open(store);
    if (text.length > 20) drip(client, text, 10);
    else client.socket.write(text);
    await client.closed;
    const [reply] = parseReplies(client.received());
    expect(reply).toMatchObject({ status: 408, headers: { connection: "close" } });
    expect(JSON.parse(reply?.body ?? "")).toMatchObject({ code: "bad_request", status: 408 });
    expect(await isServing(store)).toBe(true);
  });

  it.each([
    ["with a length", ["Content-Length: 500"], ""],
    ["in chunks", ["Transfer-Encoding: chunked"], "200\r\n"],
  ])("are told 408 when their body comes byte by byte %s", async (_what, headers, first) => {
    const store = await startHastyStore();
    const client = await open(store);
    client.socket.write(head(store, "POST /v1/pets", ...headers) + first);
    drip(client, " ".repeat(500), 10);
    await client.closed;
    const [reply] = parseReplies(client.received());
    expect(reply).toMatchObject({ status: 408, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(await store.storage.isEmpty()).toBe(true);
    expect(await isServing(store)).toBe(true);
  });

  it.each([
    ["never comes", ""],
    ["turns out to be broken", "zz\r\n"],
  ])("get one reply alone where it went before a body that %s", async (_what, body) => {
    const store = await startHastyStore();
    const client = await open(store);
    client.socket.write("POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    await once(client.socket, "data");
    client.socket.write(body);
    await client.closed;
    expect(parseReplies(client.received()).map(({ status }) => status)).toEqual([401]);
    expect(await isServing(store)).toBe(true);
  });

  it("may not keep an idle connection for ever", async () => {
    const store = await startHastyStore();
    const client = await open(store);
    client.socket.write(head(store, "GET /v1/pets"));
    await client.closed;
    expect(parseReplies(client.received()).map(({ status }) => status)).toEqual([200]);
  });

  it("who ask and ask and never read are cut off", async () => {
    const store = await startHastyStore();
    const name = "x".repeat(60_000);
    await store.storage.addAll(Array.from({ length: 100 }, () => ({ name, categoryId: 1n })));
    const { socket, received, closed } = await open(store);
    socket.pause();
    // One page is more than the system takes for a client.
    socket.write(head(store, "GET /v1/pets?limit=100").repeat(8));
    await new Promise((wake) => setTimeout(wake, 1_000));
    socket.resume();
    await closed;
    const count = received().toString("latin1").split("HTTP/1.1 200").length - 1;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(8);
    expect(await isServing(store)).toBe(true);
  });

  it("are waited for as long as the store itself has not answered", async () => {
    const wait = Promise.withResolvers<void>();
    const storage = memoryStorage();
    const list = storage.list.bind(storage);
    const slow = {
      ...storage,
      list: (query: Parameters<typeof list>[0]) => wait.promise.then(() => list(query)),
    };
    const store = await startHastyStore({ storage: slow });
    const client = await open(store);
    client.socket.write(head(store, "GET /v1/pets"));
    await new Promise((wake) => setTimeout(wake, 700));
    expect(client.socket.destroyed).toBe(false);
    wait.resolve();
    await client.closed;
    expect(parseReplies(client.received())[0]?.status).toBe(200);
  });
});

describe("many connections", () => {
  it("make room for new ones: the one that is idle for longest goes", async () => {
    const store = await startTestStore({ listening: { maxConnections: 3 } });
    const [first, second, third] = [await open(store), await open(store), await open(store)];
    first.socket.write(head(store, "GET /v1/pets"));
    await once(first.socket, "data");
    expect(await isServing(store)).toBe(true);
    await second.closed;
    expect([first, third].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
  });

  it("that all wait for an answer are kept, and a new one is closed", async () => {
    const store = await startTestStore({ listening: { maxConnections: 2 } });
    const ask = head(
      store,
      "POST /v1/pets",
      "Expect: 100-continue",
      `Content-Length: ${rex.length}`,
    );
    const busy = [await open(store), await open(store)];
    for (const { socket } of busy) {
      socket.write(ask);
      await once(socket, "data");
    }
    const late = await open(store);
    await late.closed;
    expect(late.received()).toHaveLength(0);
    for (const { socket, received } of busy) {
      socket.write(rex);
      await once(socket, "data");
      expect(parseReplies(received())[1]?.status).toBe(201);
    }
    expect(await isServing(store)).toBe(true);
  });

  it("that send nothing keep nobody out", async () => {
    const store = await startTestStore({ listening: { maxConnections: 50 } });
    for (let count = 0; count < 200; count++) await open(store);
    expect(await isServing(store)).toBe(true);
  });
});

describe("hostile requests", () => {
  it("answers a thousand requests in one packet, in their order", async () => {
    const store = await startTestStore({ plan: "9999/min,9999/day" });
    const requests = head(store, "GET /v1/pets?limit=1").repeat(1_000);
    const replies = await sendRaw(store.port, [requests], { expected: 1_000 });
    const remaining = replies.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    expect(remaining).toEqual(Array.from({ length: 1_000 }, (_value, place) => 9_998 - place));
  });

  it.each([
    [
      "too many headers",
      `GET /v1/pets HTTP/1.1\r\nHost: a\r\n${"a: b\r\n".repeat(3_000)}\r\n`,
      431,
    ],
    ["a target that is too long", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ["a bare CR", "GET /v1/pets HTTP/1.1\rHost: a\r\r", 400],
    ["a bare LF in a header", "GET /v1/pets HTTP/1.1\r\nHost: a\r\nA: b\nC: d\r\n\r\n", 400],
    ["a space before the colon", "GET /v1/pets HTTP/1.1\r\nHost : a\r\n\r\n", 400],
    ["a folded header", "GET /v1/pets HTTP/1.1\r\nHost: a\r\nA: b\r\n c\r\n\r\n", 400],
    ["NUL in a header", "GET /v1/pets HTTP/1.1\r\nHost: a\r\nA: \0\r\n\r\n", 400],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["HTTP/9.9", "GET /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n", 400],
    ["a length in words", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ten\r\n\r\n", 400],
    ["a length with a sign", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n", 400],
    ["two lengths in one", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\n", 400],
    [
      "chunked that is not last",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
      400,
    ],
    ["a space in the target", "GET /v1/pets x HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ])("answers %s with an Error body, and goes on", async (_what, text, status) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [text]);
    expect(reply).toMatchObject({ status, headers: { "content-type": "application/json" } });
    expect(reply?.headers).toMatchObject({
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "59",
      "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
      connection: "close",
    });
    expect(JSON.parse(reply?.body ?? "")).toMatchObject({ status });
    expect(await isServing(store)).toBe(true);
  });

  it.each([
    ["a size with a sign", "-1\r\n"],
    ["a size beyond all bounds", "fffffffffffffffff\r\n"],
    ["endless extensions", `1;${"x".repeat(20_000)}\r\n`],
    ["no line end behind a chunk", "3\r\nabcX"],
    ["endless trailers", `0\r\n${`a: ${"b".repeat(1_000)}\r\n`.repeat(20)}\r\n`],
  ])("refuses chunks with %s, and adds nothing", async (_what, body) => {
    const store = await startTestStore();
    const request = head(store, "POST /v1/pets", "Transfer-Encoding: chunked");
    const [reply] = await sendRaw(store.port, [request + body]);
    expect(reply?.status).toBeGreaterThanOrEqual(400);
    expect(reply?.status).toBeLessThan(500);
    expect(await store.storage.isEmpty()).toBe(true);
    expect(await isServing(store)).toBe(true);
  });

  it("takes chunks of one byte, extensions and trailers", async () => {
    const store = await startTestStore();
    const chunks = Array.from(rex, (byte) => `1;a=b\r\n${byte}\r\n`).join("");
    const request = head(store, "POST /v1/pets", "Transfer-Encoding: chunked", "Trailer: a");
    const [reply] = await sendRaw(store.port, [`${request}${chunks}0\r\na: b\r\n\r\n`]);
    expect(reply?.status).toBe(201);
  });

  it("smuggles nothing in a length and chunks", async () => {
    const store = await startTestStore();
    const headers = ["Content-Length: 4", "Transfer-Encoding: chunked"];
    const inner = head(store, "POST /v1/pets", `Content-Length: ${rex.length}`) + rex;
    const request = head(store, "GET /v1/pets", ...headers);
    const replies = await sendRaw(store.port, [`${request}0\r\n\r\n${inner}`], { expected: 9 });
    expect(replies.map(({ status }) => status)).toEqual([400]);
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it("answers HTTP/1.0 and closes, or stays where it is asked to", async () => {
    const store = await startTestStore();
    const old = (more: string) =>
      `GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${store.apiKey}\r\n${more}\r\n`;
    const client = await open(store);
    client.socket.write(old("Connection: keep-alive\r\n"));
    await once(client.socket, "data");
    client.socket.write(old(""));
    await client.closed;
    const replies = parseReplies(client.received());
    expect(replies.map(({ status, headers }) => [status, headers.connection])).toEqual([
      [200, "keep-alive"],
      [200, "close"],
    ]);
  });

  it("lives through clients that leave at once, in the middle, and while they are answered", async () => {
    const store = await startTestStore({ seed: 100 });
    const texts = [
      "",
      "GET /v1",
      head(store, "GET /v1/pets?limit=100"),
      head(store, "POST /v1/pets", "Content-Length: 9"),
    ];
    for (const text of texts)
      for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
        const { socket } = await open(store);
        socket.write(text);
        socket[leave]();
      }
    expect(await isServing(store)).toBe(true);
  });
});
