import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { keyRecord } from "../../src/server/keys.ts";
import { memoryLedger } from "../../src/server/rate-limits/usage-ledger.ts";
import { listen } from "../../src/server/http/server.ts";
import { memoryStorage } from "../../src/server/storage/sqlite/index.ts";
import { attachService } from "../../src/server/attach.ts";
import { parseReplies, sendRaw } from "../support/raw.ts";
import { startTestStore, type TestStore } from "../support/store.ts";

const rex = '{"name":"Rex","categoryId":1}';

const head = (
  { apiKey }: Pick<TestStore, "apiKey">,
  first: string,
  ...more: readonly string[]
): string =>
  [`${first} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${apiKey}`, ...more, "", ""].join(
    "\r\n",
  );

const post = (store: Pick<TestStore, "apiKey">, ...more: readonly string[]): string =>
  head(store, "POST /v1/pets", ...more);

const isEmpty = (store: TestStore): Promise<boolean> => store.storage.isEmpty();

const codeOf = (body: string | undefined): unknown => JSON.parse(body ?? "{}").code;

describe("bodies", () => {
  it("takes a chunked body", async () => {
    const store = await startTestStore();
    const chunks = `${rex.length.toString(16)}\r\n${rex}\r\n0\r\n\r\n`;
    const [reply] = await sendRaw(store.port, [post(store, "Transfer-Encoding: chunked"), chunks]);
    expect(reply?.status).toBe(201);
  });

  it("takes a body of 64 KiB", async () => {
    const store = await startTestStore();
    const body = rex.padEnd(65_536);
    const [reply] = await sendRaw(store.port, [post(store, "Content-Length: 65536"), body]);
    expect(reply?.status).toBe(201);
  });

  it("refuses a longer one by its Content-Length, before any of it is there", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, "Content-Length: 65537")]);
    expect(reply).toMatchObject({ status: 413, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(codeOf(reply?.body)).toBe("payload_too_large");
  });

  it("refuses a chunked one at the byte that is too many, without waiting for its end", async () => {
    const store = await startTestStore();
    const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
    const parts = [post(store, "Transfer-Encoding: chunked"), chunk, chunk, chunk];
    const [reply] = await sendRaw(store.port, parts);
    expect(reply?.status).toBe(413);
  });

  it("answers 413 to one who sends 8 MiB before reading", async () => {
    const store = await startTestStore();
    const parts = [post(store, "Content-Length: 8388608"), Buffer.alloc(8_388_608, " ")];
    const [reply] = await sendRaw(store.port, parts);
    expect(reply?.status).toBe(413);
  });

  it.each([
    ["a chunk size that is none", "Transfer-Encoding: chunked", "zz\r\nabc\r\n"],
    ["a chunk that goes on too long", "Transfer-Encoding: chunked", "3\r\nabcdef\r\n"],
  ])("answers 400 to %s, with the headers of any reply", async (_what, header, body) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, header), body]);
    expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(codeOf(reply?.body)).toBe("bad_request");
    expect(await isEmpty(store)).toBe(true);
  });

  it("adds nothing when the body is cut off, though it is whole JSON by then", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, "Content-Length: 100"), rex], {
      end: true,
    });
    expect(reply?.status).toBe(400);
    expect(await isEmpty(store)).toBe(true);
  });

  it("goes on when a client leaves in the middle of its body", async () => {
    const store = await startTestStore();
    const socket = connect(store.port, "127.0.0.1");
    const begun = new Promise((begin) => socket.once("data", begin));
    socket.write(post(store, "Expect: 100-continue", "Content-Length: 100"));
    await begun;
    await new Promise<unknown>((sent) => socket.write('{"na', sent));
    socket.resetAndDestroy();
    const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets")]);
    expect(reply).toMatchObject({ status: 200, body: "[]" });
    expect(store.faults).toEqual([]);
  });
});

describe("Expect: 100-continue", () => {
  it("is asked for a body that is wanted", async () => {
    const store = await startTestStore();
    const expectation = post(store, "Expect: 100-continue", `Content-Length: ${rex.length}`);
    const parts = [expectation, rex];
    const replies = await sendRaw(store.port, parts, { expected: 2, pauseMs: 50 });
    expect(replies.map(({ status }) => status)).toEqual([100, 201]);
    expect(replies[1]?.headers.connection).toBe("keep-alive");
  });

  it.each([
    ["too long", "POST /v1/pets", "Content-Length: 70000", 413],
    ["not allowed", "PUT /v1/pets", "Content-Length: 5", 405],
  ])("is not for one that is %s", async (_what, first, length, status) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [head(store, first, "Expect: 100-continue", length)]);
    expect(reply).toMatchObject({ status, headers: { connection: "close" } });
  });

  it("lets other expectations be", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets", "Expect: tea")]);
    expect(reply?.status).toBe(200);
  });
});

describe("connections", () => {
  it("answers requests that come one behind the other", async () => {
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
    [
      "had no key, and waited to be asked for a body",
      (text: string) => text.replace(/Bearer .*/, "a\r\nExpect: 100-continue"),
    ],
  ])("adds nothing behind the last reply of a connection, to one who %s", async (_what, make) => {
    const store = await startTestStore();
    const add = `${post(store, `Content-Length: ${rex.length}`)}${rex}`;
    const replies = await sendRaw(store.port, [make(head(store, "GET /v1/pets")) + add.repeat(3)], {
      expected: 9,
    });
    expect(replies).toHaveLength(1);
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it("answers HTTP/1.0, which has no Host", async () => {
    const store = await startTestStore();
    const request = `GET /v1/pets HTTP/1.0\r\nAuthorization: Bearer ${store.apiKey}\r\n\r\n`;
    const [reply] = await sendRaw(store.port, [request]);
    expect(reply).toMatchObject({ status: 200, body: "[]" });
  });

  it.each([
    "localhost",
    "LOCALHOST:1",
    "localhost:",
    "[::1]:4010",
    "[::0001]:80",
    "[::ffff:127.0.0.1]:4010",
    "store.example:80",
    "a_b",
    "a!b%41",
    "127.0.0.1:4010",
    "127.1:80",
    "",
  ])("answers to the name %j", async (host) => {
    const { port } = await startTestStore();
    const [reply] = await sendRaw(port, [`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
    expect(reply?.status).toBe(200);
  });

  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["a missing Host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400],
    ["a Host that is none", "GET /healthz HTTP/1.1\r\nHost: a b/c\r\n\r\n", 400],
    ["an unknown method", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
    ["a broken header", "GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      400,
    ],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      400,
    ],
    ["a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400],
    ["endless headers", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ])("answers %s with an Error body, and goes on", async (_what, text, status) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [text]);
    expect(reply).toMatchObject({ status, headers: { "content-type": "application/json" } });
    expect(JSON.parse(reply?.body ?? "")).toMatchObject({ code: "bad_request", status });
    const [next] = await sendRaw(store.port, [head(store, "GET /v1/pets")]);
    expect(next?.status).toBe(200);
    expect(store.faults).toEqual([]);
  });

  it("adds the animal of a whole body, whatever stands behind it", async () => {
    const store = await startTestStore();
    const request = post(store, `Content-Length: ${rex.length}`);
    const [reply] = await sendRaw(store.port, [`${request}${rex}garbage\r\n\r\n`]);
    expect(reply).toMatchObject({ status: 201, headers: { connection: "close" } });
  });

  it("answers a request before the garbage behind it closes the connection", async () => {
    const store = await startTestStore();
    const replies = await sendRaw(store.port, [`${head(store, "GET /v1/pets")}garbage\r\n\r\n`], {
      expected: 9,
    });
    expect(replies[0]).toMatchObject({ status: 200, body: "[]" });
  });
});

describe("the end", () => {
  it("is not held up by connections on which nothing is asked", async () => {
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
    // Else it would take the 10 s that requests in flight have.
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it("comes after a request that is in flight, and refuses new ones", async () => {
    const store = await startTestStore();
    const socket = connect(store.port, "127.0.0.1");
    let received = Buffer.alloc(0);
    socket.on("data", (chunk) => (received = Buffer.concat([received, chunk])));
    const ended = new Promise((end) => socket.once("end", end));
    // The 100 tells that the store has begun to read the body.
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

  it("adds no animal whose reply is not sent any more", async () => {
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

  it("waits no longer than it is told to for a request that does not end", async () => {
    const listening = await listen({ host: "127.0.0.1", port: 0, now: Date.now });
    const storage = memoryStorage();
    await storage.putKey(keyRecord("a-key", "free"), 0);
    const faults: unknown[] = [];
    const parts = { storage, limits: memoryLedger(), now: Date.now };
    attachService(listening, parts, { onFault: (error) => faults.push(error) });
    const socket = connect(listening.address.port, "127.0.0.1");
    const begun = new Promise((begin) => socket.once("data", begin));
    const closed = new Promise((close) => socket.on("error", () => {}).once("close", close));
    socket.write(post({ apiKey: "a-key" }, "Expect: 100-continue", "Content-Length: 100"));
    await begun;
    await listening.stop(20);
    await closed;
    expect(await storage.isEmpty()).toBe(true);
    expect(faults).toEqual([]);
    await storage.close();
  });
});
