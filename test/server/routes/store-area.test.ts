import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { startTestStore, type TestStore } from "../../support/servers/store.ts";

/** Every request below `/_store` that tells or changes something. */
const asked = [
  "GET state",
  "GET requests",
  "GET requests/1",
  "GET events",
  "GET faults",
  "GET clock",
  "GET script",
  "GET page",
  "GET session",
  "GET pets",
  "GET limits",
  "GET check",
];
const changed = ["POST reset", "POST faults", "POST clock", "POST script", "POST stop"];

/** Starts a store with everything below `/_store`, and with a second key. */
async function startShared() {
  let stops = 0;
  const options = { stop: () => ({ pid: (stops += 1) }), formatVerdict: () => "{}" };
  const store = await startTestStore({ hasPage: true, lab: {}, options });
  const other = makeKey();
  await store.storage.putKey(keyRecord(other, "enterprise"), Date.now() + 1);
  return { ...store, other, stops: () => stops };
}

/** Starts a reverse proxy on this machine, and returns its origin. */
async function startForwarder(
  { port }: TestStore,
  added: Readonly<Record<string, string>>,
): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, host: `127.0.0.1:${port}`, ...added };
    const onward = request({ port, host: "127.0.0.1", method, path, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function statusOf(origin: string, line: string, key: string): Promise<number> {
  const [method = "", name] = line.split(" ");
  const headers = { Authorization: `Bearer ${key}` };
  const reply = await fetch(`${origin}/_store/${name}`, { method, headers });
  await reply.body?.cancel();
  return reply.status;
}

describe("what is below /_store", () => {
  it("opens to the operator's key, and to no other", async () => {
    const { baseUrl, apiKey, other, stops } = await startShared();
    const { origin } = new URL(baseUrl);
    for (const line of [...asked, ...changed])
      expect([line, await statusOf(origin, line, other)]).toEqual([line, 403]);
    expect(stops()).toBe(0);
    for (const line of asked)
      expect([line, await statusOf(origin, line, apiKey)]).toEqual([
        line,
        line === "GET requests/1" ? 404 : 200,
      ]);
    expect([await statusOf(origin, "POST stop", apiKey), stops()]).toEqual([200, 1]);
  });

  it.each([
    { "X-Forwarded-For": "203.0.113.7" },
    { Forwarded: "for=203.0.113.7" },
    { Via: "1.1 proxy" },
  ])("is closed to what a proxy on this machine forwards with %j", async (added) => {
    const store = await startShared();
    const origin = await startForwarder(store, added);
    for (const line of [...asked, ...changed])
      expect([line, await statusOf(origin, line, store.apiKey)]).toEqual([line, 404]);
    expect(store.stops()).toBe(0);
    const headers = { Authorization: `Bearer ${store.other}` };
    expect((await fetch(`${origin}/v1/pets`, { headers })).status).toBe(200);
    expect((await fetch(`${origin}/`)).status).toBe(404);
  });

  it("is closed to the clients of a proxy that adds nothing", async () => {
    const store = await startShared();
    const origin = await startForwarder(store, {});
    for (const line of [...asked, ...changed])
      expect([line, await statusOf(origin, line, store.other)]).toEqual([line, 403]);
    expect(store.stops()).toBe(0);
  });
});
