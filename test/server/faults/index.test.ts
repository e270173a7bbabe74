import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import {
  askFaulty,
  namesIn,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";
import { makeFaultInjector } from "../../../src/server/faults/index.ts";
import { requestContext } from "../../../src/server/faults/request.ts";
import { notesOf } from "../../../src/server/http/request-notes.ts";
import { memoryData } from "../../../src/server/storage/sqlite/index.ts";

/** Passes a request through an injector; returns whether it may get faults. */
function isMet(url: string, { isPage = false } = {}): boolean {
  const { local } = memoryData();
  if (local === undefined) throw new TypeError("memory is data of one's own");
  const settings = { faults: new Map(), latency: { ms: 0, jitter: 0 }, seed: 1 };
  const injector = makeFaultInjector({ ...local, now: () => 0, settings, seed: () => [] });
  const incoming = { url, method: "GET", headers: {}, socket: {} } as unknown as IncomingMessage;
  const outgoing = Object.assign(new EventEmitter(), { end() {}, writeHead() {}, write() {} });
  notesOf(incoming).isPage = isPage;
  let met = false;
  injector.wrap(() => void (met = requestContext.getStore() !== undefined))(
    incoming,
    outgoing as unknown as ServerResponse,
  );
  injector.dispose();
  return met;
}

it.each([
  ["/v1/pets", {}, true],
  ["/v1/nothing", {}, true],
  ["/healthz", {}, false],
  ["/_store/state", {}, false],
  ["/v1/pets", { isPage: true }, false],
])("meets %s with %j: %s", (url, how, met) => {
  expect(isMet(url, how)).toBe(met);
});

describe("X-Pets-Fault", () => {
  it("is for requests from this machine, for a name of it", async () => {
    const store = await startFaultyStore();
    const here = await askFaulty(store, "GET /v1/pets", { fault: "500" });
    const rebound = await askFaulty(store, "GET /v1/pets", { fault: "500", host: "evil.example" });
    expect([here.status, rebound.status]).toEqual([500, 200]);
  });
});

describe("a reset", () => {
  it("restores the seed, the counts and the draws, so that everything repeats", async () => {
    const store = await startFaultyStore({ seed: 3, fault: "500:0.5", faultSeed: 4 });
    const draw = async (): Promise<number[]> => {
      const statuses: number[] = [];
      for (let count = 0; count < 12; count += 1)
        statuses.push((await askFaulty(store, "GET /v1/pets")).status);
      return statuses;
    };
    const first = await draw();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    await askFaulty(store, "POST /v1/pets", { body: petBody("Extra") });
    await askFaulty(store, "POST /_store/reset");
    expect(await stateOf(store)).toEqual({ pets: 3, requests: {}, early: 0, bans: 0 });
    expect(await draw()).toEqual(first);
    await askFaulty(store, "POST /_store/faults", { body: '{"fault":""}' });
    expect(await namesIn(store)).not.toContain("Extra");
  });
});
