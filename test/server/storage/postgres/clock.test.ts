import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AdmissionDecision, Usage } from "../../../../src/server/rate-limits/limits.ts";
import {
  toDatabaseTime,
  toStoreDecision,
  toStoreUsage,
  toStoreWindow,
} from "../../../../src/server/storage/postgres/clock.ts";

const noon = Date.UTC(2026, 10, 5, 12);
const day = 24 * 60 * 60_000;
const window = { limit: 60, remaining: 0, resetAt: noon + 60_000 };

describe("toDatabaseTime", () => {
  it.each([
    ["a request of this moment", noon + day, noon],
    ["one that has waited", noon + day - 300, noon - 300],
    ["one that seems to come later", noon + day + 5, noon],
    ["one from before the store's clock was set forward", noon, noon - 8_000],
  ])("subtracts the store's offset from the arrival of %s", (_what, arrival, expected) => {
    expect(toDatabaseTime(arrival, { database: noon, store: noon + day })).toBe(expected);
  });
});

describe("toStoreWindow", () => {
  it.each([
    [0, 0],
    [7, 0],
    [-499, 0],
    [20_004, 20_000],
    [-10_000, -10_000],
    [3 * day + 3, 3 * day],
  ])("moves the end of a window by whole seconds if the store is %i ms ahead", (ahead, by) => {
    const reading = { database: noon, store: noon + ahead };
    expect(toStoreWindow(window, reading).resetAt).toBe(window.resetAt + by);
  });
});

describe("toStoreDecision", () => {
  it("keeps the remaining time of a wait, whatever the clocks", () => {
    fc.assert(
      fc.property(fc.integer({ min: -day, max: day }), fc.nat(day), (ahead, left) => {
        const decision: AdmissionDecision = {
          allowed: false,
          window,
          code: "rate_limited",
          until: noon + left,
          isEarly: false,
        };
        const reading = { database: noon, store: noon + ahead };
        expect(toStoreDecision(decision, reading)).toMatchObject({ until: reading.store + left });
      }),
    );
  });
});

describe("toStoreUsage", () => {
  it("moves windows, waits and bans by whole seconds", () => {
    const reading = { database: noon, store: noon + 2_400 };
    const counts = [{ end: noon + 1, requests: 3 }];
    const usage: Usage = {
      counts,
      refusal: { at: noon + 3, until: noon + 4, early: 1 },
      bannedUntil: noon + 5,
    };
    expect(toStoreUsage(usage, reading)).toEqual({
      counts: [{ end: noon + 2_001, requests: 3 }],
      refusal: { at: noon + 2_003, until: noon + 2_004, early: 1 },
      bannedUntil: noon + 2_005,
    });
    expect(toStoreUsage({ counts }, { database: 1, store: 1 })).toEqual({ counts });
  });
});
