import { describe, expect, it } from "vitest";
import {
  startFaultyStore,
  askFaulty,
  petBody,
  type FaultyStore,
} from "../../support/faulty-store.ts";

const run = async (store: FaultyStore) => {
  const seen = [];
  for (let n = 0; n < 60; n++) {
    const { status, body } = await askFaulty(store, "POST /v1/pets", { body: petBody(`n${n}`) });
    seen.push(`${status} ${body}`);
  }
  return { seen, kept: await store.storage.list({ limit: 100, status: undefined }) };
};

describe("--fault", () => {
  const mix = "429:0.2,500:0.2,reset:0.1,truncate:0.2";
  it("strikes the same requests for the same seed, and again after a reset", async () => {
    const [one, two, other] = await Promise.all([
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 5 }),
      startFaultyStore({ fault: mix, faultSeed: 6 }),
    ]);
    const [first, second, third] = await Promise.all([run(one), run(two), run(other)]);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
    for (const status of [0, 201, 429, 500])
      expect(first.seen.some((line) => line.startsWith(`${status} `))).toBe(true);
    await askFaulty(one, "POST /_store/reset");
    expect(await run(one)).toEqual(first);
  });

  it("strikes only what has a valid key and is below /v1", async () => {
    const store = await startFaultyStore({ fault: "reset:1" });
    expect((await askFaulty(store, "GET /healthz")).status).toBe(200);
    expect((await askFaulty(store, "GET /openapi.json")).status).toBe(200);
    expect((await askFaulty(store, "GET /_store/state")).status).toBe(200);
    expect((await askFaulty(store, "GET /v1/pets", { key: "" })).status).toBe(401);
    for (const target of ["/v1/pets", "/v1/nothing", "/x/../v1/pets", "http://h/v1/pets/1"])
      expect((await askFaulty(store, `GET ${target}`)).status).toBe(0);
  });
});
