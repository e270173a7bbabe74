import { describe, expect, it } from "vitest";
import type { Usage } from "../../../src/server/rate-limits/limits.ts";
import { parsePlan } from "../../../src/server/rate-limits/plans.ts";
import {
  anonymousCounter,
  memoryLedger,
  elapsedBounds,
} from "../../../src/server/rate-limits/usage-ledger.ts";
import { momentAt, momentsAt } from "../../support/servers/exchange.ts";

const noon = Date.UTC(2026, 10, 5, 12);
const plan = parsePlan("2/min,9/day") ?? { name: "none", quotas: [] };

describe("memoryLedger", () => {
  it("counts each key separately", async () => {
    const ledger = memoryLedger();
    for (const allowed of [true, true, false])
      expect(await ledger.admit("one", plan, momentsAt(noon))).toMatchObject({ allowed });
    expect(await ledger.admit("other", plan, momentsAt(noon))).toMatchObject({ allowed: true });
  });

  it("returns the window without another request", async () => {
    const ledger = memoryLedger();
    await ledger.admit("one", plan, momentsAt(noon));
    const open = { isOpen: true, window: { remaining: 1 } };
    for (let time = 0; time < 3; time += 1)
      expect(ledger.peek("one", plan, momentAt(noon))).toMatchObject(open);
    await ledger.admit("one", plan, momentsAt(noon));
    expect(ledger.peek("one", plan, momentAt(noon))).toMatchObject({ isOpen: false });
    expect(ledger.peek("one", plan, momentAt(noon + 60_000))).toMatchObject({ isOpen: true });
  });

  it("starts at zero after it is cleared", async () => {
    const ledger = memoryLedger();
    await ledger.admit("one", plan, momentsAt(noon));
    ledger.countAnonymous("::1", noon);
    ledger.clear();
    expect(ledger.peek("one", plan, momentAt(noon)).window.remaining).toBe(2);
    expect(ledger.countAnonymous("::1", noon).remaining).toBe(59);
  });
});

it("a clock that is set back prolongs neither a wait nor a ban in real time", () => {
  let elapsed = 0;
  const bounds = elapsedBounds(600_000);
  const bound = (id: string, usage: Usage, now: number) => bounds(id, usage, now, elapsed);
  const banned = { counts: [], bannedUntil: noon + 600_000 };
  const refused = { counts: [], refusal: { at: noon, until: noon + 60_000, early: 1 } };
  for (const usage of [banned, refused]) expect(bound("one", usage, noon)).toBe(usage);
  expect(bound("other", banned, noon)).toBe(banned);
  elapsed += 59_000;
  expect(bound("one", refused, noon - 1_800_000)).toMatchObject({
    refusal: { until: noon - 1_800_000 + 1_000 },
  });
  expect(bound("other", banned, noon - 1_800_000)).toMatchObject({
    bannedUntil: noon - 1_800_000 + 541_000,
  });
  // What was set back before this process started.
  const bannedUntil = noon + 3_000_000;
  expect(bound("third", { counts: [], bannedUntil }, noon).bannedUntil).toBe(noon + 600_000);
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
