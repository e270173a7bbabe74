import { describe, expect, it } from "vitest";
import { codeOf } from "../../support/servers/faulty-store.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import {
  addOf,
  drip,
  head,
  isServing,
  openClient,
  post,
  rex,
  startAdding,
  startImpatientStore,
} from "../../support/servers/wire.ts";

const chunked = "Transfer-Encoding: chunked";
const chunkOf = (content: string): string => `${content.length.toString(16)}\r\n${content}\r\n`;
const codes: Readonly<Record<number, string>> = { 400: "bad_request", 413: "payload_too_large" };

describe("a body", () => {
  it.each([
    ["in chunks", chunked, `${chunkOf(rex)}0\r\n\r\n`, 201],
    ["of 64 KiB", "Content-Length: 65536", rex.padEnd(65_536), 201],
    ["over that by its length, before any of it arrives", "Content-Length: 65537", "", 413],
    ["over that in chunks, at once", chunked, chunkOf(" ".repeat(0x8000)).repeat(3), 413],
    ["of 8 MiB from who only writes", "Content-Length: 8388608", " ".repeat(8_388_608), 413],
    ["with an invalid chunk size", chunked, "zz\r\nabc\r\n", 400],
    ["with a chunk that is too long", chunked, "3\r\nabcdef\r\n", 400],
  ])("%s (%s) is read to the end, or refused", async (_what, header, body, status) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, header), body]);
    expect(reply).toMatchObject({ status, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(codeOf(reply)).toBe(codes[status]);
    expect(await store.storage.isEmpty()).toBe(status !== 201);
  });

  it("adds nothing if cut off, even if what arrived is complete JSON", async () => {
    const store = await startTestStore();
    const parts = [post(store, "Content-Length: 100"), rex];
    const [reply] = await sendRaw(store.port, parts, { end: true });
    expect(reply?.status).toBe(400);
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it("may end with the connection, which the server survives", async () => {
    const store = await startTestStore();
    const { socket } = await startAdding(store, 100);
    await new Promise<unknown>((sent) => socket.write('{"na', sent));
    socket.resetAndDestroy();
    const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets")]);
    expect(reply).toMatchObject({ status: 200, body: "[]" });
    expect(store.faults).toEqual([]);
  });
});

describe("a Content-Type", () => {
  it.each([
    ["application/json", 201],
    ["application/json; charset=utf-8", 201],
    ['application/json;charset="UTF-8"', 201],
    ["application/vnd.pets+json ; charset=utf8", 201],
    ["application/json; charset=iso-8859-1", 415],
    ["application/json; charset=utf-16", 415],
    ["application/json; charset=utf-8-sig", 415],
  ])("%s: %d", async (type, status) => {
    const { baseUrl, apiKey } = await startTestStore();
    const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": type };
    const reply = await fetch(`${baseUrl}/pets`, { method: "POST", headers, body: rex });
    expect(reply.status).toBe(status);
    expect(await reply.text()).toMatch(status === 415 ? /Content-Type.*utf-8/ : /"id":1/);
  });
});

describe("Expect: 100-continue", () => {
  it("gets a 100", async () => {
    const store = await startTestStore();
    const expectation = post(store, "Expect: 100-continue", `Content-Length: ${rex.length}`);
    const parts = [expectation, rex];
    const replies = await sendRaw(store.port, parts, { expected: 2, pauseMs: 50 });
    expect(replies.map(({ status }) => status)).toEqual([100, 201]);
    expect(replies[1]?.headers.connection).toBe("keep-alive");
  });

  it.each([
    ["a wrong key", (text: string) => text.replace(/Bearer \S+/, "Bearer x"), 401],
    ["a body over 64 KiB", (text: string) => text.replace(/-Length: \d+/, "-Length: 65537"), 413],
  ])("gets no 100 with %s, and the connection closes", async (_what, change, status) => {
    const store = await startTestStore();
    const expectation = post(store, "Expect: 100-continue", `Content-Length: ${rex.length}`);
    const replies = await sendRaw(store.port, [change(expectation)]);
    expect(replies).toMatchObject([{ status, headers: { connection: "close" } }]);
  });

  it("does not affect other expectations", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets", "Expect: tea")]);
    expect(reply?.status).toBe(200);
  });
});

describe("a body that nobody reads", () => {
  it.each([
    ["too long", "POST /v1/pets", "Content-Length: 999999", 413],
    ["not wanted", "PUT /v1/pets", chunked, 405],
  ])("gets its reply, and a client that keeps sending is disconnected: %s", async (...row) => {
    const [, first, length, status] = row;
    const store = await startImpatientStore();
    const client = await openClient(store);
    client.socket.write(head(store, first, length));
    drip(client, "1\r\nx\r\n".repeat(1_000), 20);
    await client.closed;
    expect(client.replies()).toMatchObject([{ status }]);
    await expect.poll(() => isServing(store)).toBe(true);
  });

  it("keeps the connection open if it was read, and else says that it closes", async () => {
    const store = await startTestStore();
    const refused = addOf(store).replace("POST", "PUT");
    const long = `${post(store, chunked)}${chunkOf(" ".repeat(0x11000))}0\r\n\r\n`;
    const parts = [refused + long + head(store, "GET /v1/pets")];
    const replies = await sendRaw(store.port, parts, { expected: 3 });
    const found = replies.map(({ status, headers }) => [status, headers["connection"]]);
    expect(found).toEqual([
      [405, "keep-alive"],
      [413, "close"],
    ]);
  });
});
