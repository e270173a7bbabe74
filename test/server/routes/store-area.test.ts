import { describe, expect, it } from "vitest";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { startTestStore } from "../../support/servers/store.ts";

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
  const options = { stop: () => ({ pid: (stops += 1) }) };
  const store = await startTestStore({ hasPage: true, lab: {}, options });
  const other = makeKey();
  await store.storage.putKey(keyRecord(other, "enterprise"), Date.now() + 1);
  return { ...store, other, stops: () => stops };
}

/** Returns the status of a request to a store, with what a proxy `added`. */
async function statusOf(baseUrl: string, line: string, key: string, added = {}): Promise<number> {
  const [method = "", name = ""] = line.split(" ");
  const headers = { Authorization: `Bearer ${key}`, ...added };
  const reply = await fetch(new URL(`/_store/${name}`, baseUrl), { method, headers });
  await reply.body?.cancel();
  return reply.status;
}

describe("what is below /_store", () => {
  it("opens to the operator's key, and to no other", async () => {
    const { baseUrl, apiKey, other, stops } = await startShared();
    for (const line of [...asked, ...changed])
      expect([line, await statusOf(baseUrl, line, other)]).toEqual([line, 403]);
    expect(stops()).toBe(0);
    for (const line of asked)
      expect([line, await statusOf(baseUrl, line, apiKey)]).toEqual([
        line,
        line === "GET requests/1" ? 404 : 200,
      ]);
    expect([await statusOf(baseUrl, "POST stop", apiKey), stops()]).toEqual([200, 1]);
  });

  it.each([
    { "X-Forwarded-For": "203.0.113.7" },
    { Forwarded: "for=203.0.113.7" },
    { Via: "1.1 proxy" },
    { "X-Real-IP": "203.0.113.7" },
    { "X-Forwarded-Host": "store.example" },
  ])("is closed to what a proxy on this machine forwards with %j", async (added) => {
    const { baseUrl, apiKey, stops } = await startShared();
    for (const line of [...asked, ...changed, "GET ../"])
      expect([line, await statusOf(baseUrl, line, apiKey, added)]).toEqual([line, 403]);
    expect(stops()).toBe(0);
    expect(await statusOf(baseUrl, "GET ../v1/pets", apiKey, added)).toBe(200);
  });
});
