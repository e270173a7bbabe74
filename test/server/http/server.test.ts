import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { parseReplies } from "../../support/servers/raw.ts";
import { startTestStore } from "../../support/servers/store.ts";
import {
  head,
  startImpatientStore,
  openClient,
  drip,
  isServing,
} from "../../support/servers/wire.ts";

describe("slow clients", () => {
  it.each([
    ["nothing", ""],
    ["the headers byte by byte", `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(500)}`],
    ["half a request", "GET /v1/pe"],
  ])("get a 408 if they send %s", async (_what, text) => {
    const store = await startImpatientStore();
    const client = await openClient(store);
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
  ])("get a 408 if their body arrives byte by byte %s", async (_what, headers, first) => {
    const store = await startImpatientStore();
    const client = await openClient(store);
    client.socket.write(head(store, "POST /v1/pets", ...headers) + first);
    drip(client, " ".repeat(500), 10);
    await client.closed;
    const [reply] = parseReplies(client.received());
    expect(reply).toMatchObject({ status: 408, headers: { "x-ratelimit-limit": "2147483647" } });
    expect(await store.storage.isEmpty()).toBe(true);
    expect(await isServing(store)).toBe(true);
  });

  it("can't keep an idle connection forever", async () => {
    const store = await startImpatientStore();
    const client = await openClient(store);
    client.socket.write(head(store, "GET /v1/pets"));
    await client.closed;
    expect(parseReplies(client.received()).map(({ status }) => status)).toEqual([200]);
  });
});

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
    const replies = parseReplies(client.received());
    expect(replies.map(({ status, headers }) => [status, headers.connection])).toEqual([
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
      head(store, "POST /v1/pets", "Content-Length: 9"),
    ];
    for (const text of texts)
      for (const leave of ["destroy", "resetAndDestroy", "end"] as const) {
        const { socket } = await openClient(store);
        socket.write(text);
        socket[leave]();
      }
    expect(await isServing(store)).toBe(true);
  });
});
