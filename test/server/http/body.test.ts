import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { parseReplies, sendRaw } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import {
  codeIn,
  drip,
  head,
  isServing,
  openClient,
  post,
  rex,
} from "../../support/servers/wire.ts";

describe("bodies", () => {
  it("may be chunked", async () => {
    const store = await startTestStore();
    const chunks = `${rex.length.toString(16)}\r\n${rex}\r\n0\r\n\r\n`;
    const [reply] = await sendRaw(store.port, [post(store, "Transfer-Encoding: chunked"), chunks]);
    expect(reply?.status).toBe(201);
  });

  it("may have 64 KiB", async () => {
    const store = await startTestStore();
    const body = rex.padEnd(65_536);
    const [reply] = await sendRaw(store.port, [post(store, "Content-Length: 65536"), body]);
    expect(reply?.status).toBe(201);
  });

  it("are refused by a Content-Length over that, before any of the body arrives", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, "Content-Length: 65537")]);
    expect(reply).toMatchObject({ status: 413, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(codeIn(reply?.body)).toBe("payload_too_large");
  });

  it("are refused at the first excess byte if chunked, without waiting for the end", async () => {
    const store = await startTestStore();
    const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
    const parts = [post(store, "Transfer-Encoding: chunked"), chunk, chunk, chunk];
    const [reply] = await sendRaw(store.port, parts);
    expect(reply?.status).toBe(413);
  });

  it("get a 413 even if a client sends 8 MiB before it reads", async () => {
    const store = await startTestStore();
    const parts = [post(store, "Content-Length: 8388608"), Buffer.alloc(8_388_608, " ")];
    const [reply] = await sendRaw(store.port, parts);
    expect(reply?.status).toBe(413);
  });

  it.each([
    ["an invalid chunk size", "Transfer-Encoding: chunked", "zz\r\nabc\r\n"],
    ["a chunk that is too long", "Transfer-Encoding: chunked", "3\r\nabcdef\r\n"],
  ])("get a 400 for %s, with the headers of every reply", async (_what, header, body) => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, header), body]);
    expect(reply).toMatchObject({ status: 400, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(codeIn(reply?.body)).toBe("bad_request");
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it("add nothing if cut off, even if what arrived is complete JSON", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [post(store, "Content-Length: 100"), rex], {
      end: true,
    });
    expect(reply?.status).toBe(400);
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it("may end with the connection, which the server survives", async () => {
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
  it("gets a 100", async () => {
    const store = await startTestStore();
    const expectation = post(store, "Expect: 100-continue", `Content-Length: ${rex.length}`);
    const parts = [expectation, rex];
    const replies = await sendRaw(store.port, parts, { expected: 2, pauseMs: 50 });
    expect(replies.map(({ status }) => status)).toEqual([100, 201]);
    expect(replies[1]?.headers.connection).toBe("keep-alive");
  });

  it("does not affect other expectations", async () => {
    const store = await startTestStore();
    const [reply] = await sendRaw(store.port, [head(store, "GET /v1/pets", "Expect: tea")]);
    expect(reply?.status).toBe(200);
  });
});

describe("a body that nobody reads", () => {
  it.each([
    ["too long", "POST /v1/pets", "Content-Length: 999999"],
    ["not wanted", "PUT /v1/pets", "Transfer-Encoding: chunked"],
  ])("gets its reply, and a client that keeps sending is disconnected: %s", async (...row) => {
    const [, first, length] = row;
    const store = await startTestStore();
    const client = await openClient(store);
    client.socket.write(head(store, first, length));
    drip(client, "1\r\nx\r\n".repeat(1_000), 20);
    await client.closed;
    expect(parseReplies(client.received()).map(({ status }) => status)).toEqual([
      first.startsWith("PUT") ? 405 : 413,
    ]);
    expect(await isServing(store)).toBe(true);
  });

  it("keeps the connection open if it ends in time", async () => {
    const store = await startTestStore();
    const refused = head(store, "PUT /v1/pets", `Content-Length: ${rex.length}`) + rex;
    const long = `${post(store, "Transfer-Encoding: chunked")}11000\r\n${" ".repeat(0x11000)}\r\n0\r\n\r\n`;
    const replies = await sendRaw(store.port, [refused + long + head(store, "GET /v1/pets")], {
      expected: 3,
    });
    expect(replies.map(({ status }) => status)).toEqual([405, 413, 200]);
  });
});
