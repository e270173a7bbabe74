import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admit,
  type AdmissionDecision,
  emptyUsage,
  type Usage,
} from "../../../src/server/rate-limits/limits.ts";
import { parsePlan, type Plan } from "../../../src/server/rate-limits/plans.ts";

const noon = Date.UTC(2026, 10, 5, 12, 0, 0);
const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

const plan = (text: string): Plan => {
  const found = parsePlan(text);
  if (found === undefined) throw new Error(`no plan: ${text}`);
  return found;
};

const at = (now: number) => ({ arrivedAt: now, now });

/** Sends a request at each of the moments, and returns all decisions. */
function ask(name: string, moments: readonly number[], start: Usage = emptyUsage) {
  let usage = start;
  const decisions = moments.map((now) => {
    const [decision, next] = admit(plan(name), usage, at(now));
    usage = next;
    return decision;
  });
  return { decisions, usage };
}

const times = (count: number, moment: number): number[] =>
  Array.from({ length: count }, () => moment);

const outcome = (decision: AdmissionDecision | undefined): string =>
  decision === undefined ? "none" : decision.allowed ? "allowed" : decision.code;

describe("windows", () => {
  const [tonight, tomorrow] = [12 * 60 * minute, 36 * 60 * minute];
  it.each([
    ["count from the first", "3/min,9/day", [0], 3, 2, minute],
    ["are aligned to the clock", "3/min,9/day", [59_999], 3, 2, minute],
    ["start again with the minute", "3/min,9/day", [59_999, minute], 3, 2, 2 * minute],
    ["show the day when that is nearer its end", "3/min,4/day", [0, minute], 4, 2, tonight],
    ["show the day if both have the same number left", "3/min,3/day", [0], 3, 2, tonight],
    ["start again with the day", "9/min,3/day", [0, 0, tonight], 3, 2, tomorrow],
    ["show the one that a plan has", "3/2s", [1], 3, 2, 2 * second],
    ["say 2147483647 without limit", "enterprise", [1], 2147483647, 2147483647, minute],
  ])("%s", (_what, name, after, limit, remaining, endsAfter) => {
    const moments = after.map((ms) => noon + ms);
    const window = { limit, remaining, resetAt: noon + endsAfter };
    expect(ask(name, moments).decisions.at(-1)).toEqual({ allowed: true, window });
  });

  it.each([
    ["free", 60, noon + minute],
    ["pro", 300, noon + minute],
    ["business", 1000, noon + minute],
    ["2/min,1/day", 1, Date.UTC(2026, 10, 6)],
    ["2/min,2/day", 2, Date.UTC(2026, 10, 6)],
  ])("of %s refuse after %d requests, until the window is over", (name, count, until) => {
    const { decisions } = ask(name, times(count + 1, noon));
    expect(decisions.slice(0, -1).every(({ allowed }) => allowed)).toBe(true);
    expect(decisions.at(-1)).toMatchObject({
      code: "rate_limited",
      until,
      window: { remaining: 0 },
    });
  });

  it.each([
    ["a shorter one starts again", "2/4s,9/10s", [0, 3999, 4000], 1, 4 * second + 4 * second],
    ["a shorter one is full", "2/4s,9/10s", [0, 1000, 3999], "rate_limited", 4 * second],
    ["a longer one starts again", "9/4s,2/10s", [0, 9999, 10_000], 1, 20 * second],
    ["a longer one is full", "9/4s,2/10s", [0, 4000, 9999], "rate_limited", 10 * second],
  ])("of other lengths: %s", (_what, name, after, expected, until) => {
    const start = noon - (noon % (20 * second));
    const last = ask(
      name,
      after.map((ms) => start + ms),
    ).decisions.at(-1);
    expect(last?.allowed ? last.window.remaining : last?.code).toBe(expected);
    expect(last?.allowed ? last.window.resetAt : last?.until).toBe(start + until);
  });

  it("do not count a refused request", () => {
    const { decisions, usage } = ask("1/min,3/day", [noon, noon, noon, noon + minute]);
    expect(decisions.map(outcome)).toEqual(["allowed", "rate_limited", "rate_limited", "allowed"]);
    expect(usage.counts[1]?.requests).toBe(2);
  });

  it("admit no more than the plan, at any moments", () => {
    const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (gaps) => {
        let now = noon;
        const moments = gaps.map((gap) => (now += gap));
        const { decisions } = ask("3/min,20/day", moments);
        const allowed = moments.filter((_moment, place) => decisions[place]?.allowed);
        for (const length of [minute, day]) {
          const counts = Map.groupBy(allowed, (moment) => Math.floor(moment / length));
          const most = Math.max(0, ...[...counts.values()].map((group) => group.length));
          expect(most).toBeLessThanOrEqual(length === minute ? 3 : 20);
        }
      }),
    );
  });
});

describe("early requests and bans", () => {
  it("count nothing for a wait that the limits did not announce", () => {
    const one = plan("1/min,99/day");
    const [, used] = admit(one, emptyUsage, at(noon));
    const [decision, { refusal }] = admit(one, used, at(noon), undefined, true);
    expect([decision.allowed, refusal?.early]).toEqual([false, 0]);
  });

  // The plan admits one request a minute; the moments are ms after the 429 for the second.
  const limited = "rate_limited";
  const banned = "key_banned";
  it.each([
    ["the third inside the wait bans", [1000, 2000, 3000], [limited, limited, banned]],
    ["250 ms after the 429 it was on its way", [0, 100, 250, 250, 250], Array(5).fill(limited)],
    ["251 ms after it it was not", [251, 251, 251], [limited, limited, banned]],
    [
      "counting starts again after the wait",
      [1000, 2000, minute, minute + 1000, minute + 2000, minute + 3000],
      [limited, limited, "allowed", limited, limited, limited],
    ],
    [
      "a ban outlasts the wait",
      [300, 301, 302, minute, 9 * minute],
      [limited, limited, banned, banned, banned],
    ],
    [
      "and ends after 10 minutes",
      [300, 301, 302, 302 + 10 * minute],
      [limited, limited, banned, "allowed"],
    ],
  ])("%s", (_what, after, expected) => {
    const moments = [0, 0, ...after].map((ms) => noon + ms);
    const { decisions } = ask("1/min,99/day", moments);
    expect(decisions.slice(2).map(outcome)).toEqual(expected);
  });

  it("include the remaining time of a ban, which requests do not extend", () => {
    const { decisions } = ask(
      "1/min,99/day",
      [0, 0, 300, 300, 300, 5 * minute].map((ms) => noon + ms),
    );
    expect(decisions.at(-2)).toMatchObject({ code: "key_banned", until: noon + 300 + 10 * minute });
    expect(decisions.at(-1)).toMatchObject({ code: "key_banned", until: noon + 300 + 10 * minute });
  });

  it.each([
    ["a ban", { bannedUntil: noon + day + 1 }, "allowed"],
    ["a ban a day ahead at most", { bannedUntil: noon + day }, "key_banned"],
    ["a wait", { refusal: { at: noon, until: noon + day + 1, early: 2 } }, "allowed"],
  ])("drop %s that ends over a day ahead", (_what, remembered, expected) => {
    const start = { ...emptyUsage, ...remembered };
    expect(outcome(ask("1/min,9/day", [noon], start).decisions[0])).toBe(expected);
  });
});
