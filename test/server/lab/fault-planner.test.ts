import { describe, expect, it } from "vitest";
import { keyPlaces } from "../../../src/server/lab/fault-planner.ts";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { askFaulty, petBody, startFaultyStore } from "../../support/servers/faulty-store.ts";

const stored = (...ids: readonly string[]) =>
  ids.map((id, createdAt) => ({ id, plan: "free", createdAt }));

describe("keyPlaces", () => {
  it("numbers keys in the order in which they were made", async () => {
    let keys = stored("b", "a");
    const place = keyPlaces({ listKeys: async () => keys });
    expect([await place("a"), await place("b"), await place("x")]).toEqual([1, 0, undefined]);
    // A key keeps its place when another is removed.
    keys = stored("a", "c");
    expect([await place("c"), await place("a")]).toEqual([2, 1]);
  });
});

/** Returns how the same 12 adds with each of these keys end. */
const statuses = async (keys: readonly string[]) => {
  const store = await startFaultyStore({ fault: "500:0.5" });
  for (const [place, key] of keys.entries())
    await store.storage.putKey(keyRecord(key, "enterprise"), Date.now() + 1_000 * (place + 1));
  const seen = [];
  for (const key of keys)
    for (let n = 0; n < 12; n++) {
      const how = { key, body: petBody(`n${n}`) };
      seen.push((await askFaulty(store, "POST /v1/pets", how)).status);
    }
  return [seen.slice(0, 12), seen.slice(12)];
};

describe("the draw of a request", () => {
  it("depends on the number of its key, not on the key itself", async () => {
    const [first, second] = await statuses([makeKey(), makeKey()]);
    expect(second).not.toEqual(first);
    expect(await statuses([makeKey(), makeKey()])).toEqual([first, second]);
  });

  it("does not prevent the 413 of a body that is too long", async () => {
    const store = await startFaultyStore({ fault: "500:0.000001" });
    const body = petBody("x".repeat(70_000));
    expect((await askFaulty(store, "POST /v1/pets", { body })).status).toBe(413);
  });
});
