import { once } from "node:events";
import { describe, expect, it } from "vitest";
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

describe("what is not a request", () => {
  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    ["an unknown method", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
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
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400],
    ["endless headers", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ["a target that is too long", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    [
      "chunked that is not last",
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
      400,
    ],
  ])("gets an Error body for %s, and the server continues", async (_what, text, status) => {
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

  it("does not prevent the add of a complete body before it", async () => {
    const store = await startTestStore();
    const request = post(store, `Content-Length: ${rex.length}`);
    const [reply] = await sendRaw(store.port, [`${request}${rex}garbage\r\n\r\n`]);
    expect(reply).toMatchObject({ status: 201, headers: { connection: "close" } });
  });

  it("closes the connection only after the reply to the request before it", async () => {
    const store = await startTestStore();
    const replies = await sendRaw(store.port, [`${head(store, "GET /v1/pets")}garbage\r\n\r\n`], {
      expected: 9,
    });
    expect(replies[0]).toMatchObject({ status: 200, body: "[]" });
  });

  it("smuggles no request past a length and chunks", async () => {
    const store = await startTestStore();
    const headers = ["Content-Length: 4", "Transfer-Encoding: chunked"];
    const inner = head(store, "POST /v1/pets", `Content-Length: ${rex.length}`) + rex;
    const request = head(store, "GET /v1/pets", ...headers);
    const replies = await sendRaw(store.port, [`${request}0\r\n\r\n${inner}`], { expected: 9 });
    expect(replies.map(({ status }) => status)).toEqual([400]);
    expect(await store.storage.isEmpty()).toBe(true);
  });

  it.each([
    ["never comes", ""],
    ["turns out to be broken", "zz\r\n"],
  ])("gets no second reply after an early one to a request whose body %s", async (_what, body) => {
    const store = await startImpatientStore();
    const client = await openClient(store);
    client.socket.write("POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    await once(client.socket, "data");
    client.socket.write(body);
    await client.closed;
    expect(parseReplies(client.received()).map(({ status }) => status)).toEqual([401]);
    expect(await isServing(store)).toBe(true);
  });
});
