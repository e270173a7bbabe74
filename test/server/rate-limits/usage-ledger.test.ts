import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../src/server/rate-limits/plans.ts";
import { anonymousCounter, memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";

const noon = Date.UTC(2026, 10, 5, 12);
const plan = parsePlan("2/min,9/day") ?? { name: "none", quotas: [] };

describe("memoryLedger", () => {
  it("counts each key separately", async () => {
    const ledger = memoryLedger();
    for (const allowed of [true, true, false])
      expect(await ledger.admit("one", plan, noon)).toMatchObject({ allowed });
    expect(await ledger.admit("other", plan, noon)).toMatchObject({ allowed: true });
  });

  it("returns the window without another request", async () => {
    const ledger = memoryLedger();
    await ledger.admit("one", plan, noon);
    const open = { isOpen: true, window: { remaining: 1 } };
    for (let time = 0; time < 3; time += 1)
      expect(ledger.peek("one", plan, noon)).toMatchObject(open);
    await ledger.admit("one", plan, noon);
    expect(ledger.peek("one", plan, noon)).toMatchObject({ isOpen: false });
    expect(ledger.peek("one", plan, noon + 60_000)).toMatchObject({ isOpen: true });
  });

  it("starts at zero after it is cleared", async () => {
    const ledger = memoryLedger();
    await ledger.admit("one", plan, noon);
    ledger.countAnonymous("::1", noon);
    ledger.clear();
    expect(ledger.peek("one", plan, noon).window.remaining).toBe(2);
    expect(ledger.countAnonymous("::1", noon).remaining).toBe(59);
  });
});

describe("anonymousCounter", () => {
  it("counts 60 a window for each address, and never less than 0 left", () => {
    const { count } = anonymousCounter();
    const left = Array.from({ length: 62 }, () => count("::1", noon + 1).remaining);
    expect(left).toEqual(Array.from({ length: 62 }, (_none, place) => Math.max(0, 59 - place)));
    expect(count("::2", noon + 2)).toEqual({ limit: 60, remaining: 59, resetAt: noon + 60_000 });
    expect(count("::1", noon + 60_000).remaining).toBe(59);
  });

  it("starts at zero after 10,000 addresses, to bound memory", () => {
    const { count } = anonymousCounter();
    for (let number = 0; number <= 10_000; number += 1) count(String(number), noon);
    expect(count("0", noon).remaining).toBe(59);
    expect(count("0", noon).remaining).toBe(58);
  });
});
