import { describe, expect, it } from "vitest";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  type FaultyStore,
} from "../../support/servers/faulty-store.ts";

/** Adds animals with these names, one after the other or at once; returns how each ended, and which were stored. */
const outcomes = async (store: FaultyStore, names: readonly string[], areAtOnce = false) => {
  const ask = async (name: string): Promise<string> => {
    const { status } = await askFaulty(store, "POST /v1/pets", { body: petBody(name) });
    return `${name} ${status}`;
  };
  const seen = [];
  if (areAtOnce) seen.push(...(await Promise.all(names.map(ask))));
  else for (const name of names) seen.push(await ask(name));
  const kept = await store.storage.list({ limit: 100, status: undefined });
  const namesKept = JSON.parse(String(kept)).map(({ name }: { name: string }) => name);
  return { seen: seen.toSorted(), kept: namesKept.toSorted() };
};

/** Returns the statuses of 12 lists, with something `between` them. */
const statuses = async (plan: string, between: (store: FaultyStore) => Promise<unknown>) => {
  const store = await startFaultyStore({ fault: "500:0.5", faultSeed: 5, plan });
  const seen = [];
  for (let n = 0; n < 12; n++) {
    seen.push((await askFaulty(store, "GET /v1/pets")).status);
    await between(store);
  }
  return seen;
};

const forced = (store: FaultyStore) => askFaulty(store, "GET /v1/pets", { fault: "500" });
const delayed = (store: FaultyStore) => askFaulty(store, "GET /v1/pets", { fault: "delay=1" });

describe("--fault", () => {
  const mix = "429:0.2,500:0.2,reset:0.1,truncate:0.2";
  it("fails the same requests for the same seed, in any order, at once, and after a reset", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `n${n % 50}`);
    const [one, two, other] = await Promise.all([
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 6 }),
    ]);
    const first = await outcomes(one, names);
    expect(await outcomes(two, names.toReversed(), true)).toEqual(first);
    expect(await outcomes(other, names)).not.toEqual(first);
    expect(new Set(first.seen.map((line) => line.split(" ")[1]))).toEqual(
      new Set(["0", "201", "429", "500"]),
    );
    await askFaulty(one, "POST /_store/reset");
    expect(await outcomes(one, names)).toEqual(first);
  });

  it("draws nothing for what a header or a real 429 decides", async () => {
    const plain = await statuses("enterprise", async () => {});
    expect(new Set(plain)).toEqual(new Set([200, 500]));
    expect(await statuses("enterprise", forced)).toEqual(plain);
    expect(await statuses("enterprise", delayed)).toEqual(plain);
    expect((await statuses("3/min,99/day", forced)).slice(0, 2)).toEqual(plain.slice(0, 2));
  });

  it("fails only requests below /v1 with a valid key", async () => {
    const store = await startFaultyStore({ fault: "reset:1" });
    expect((await askFaulty(store, "GET /healthz")).status).toBe(200);
    expect((await askFaulty(store, "GET /openapi.json")).status).toBe(200);
    expect((await askFaulty(store, "GET /_store/state")).status).toBe(200);
    expect((await askFaulty(store, "GET /v1/pets", { key: "" })).status).toBe(401);
    for (const target of ["/v1/pets", "/v1/nothing", "/x/../v1/pets", "http://h/v1/pets/1"])
      expect((await askFaulty(store, `GET ${target}`)).status).toBe(0);
  });
});
