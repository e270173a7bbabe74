import { expect, it } from "vitest";
import { dryRunForecast } from "../../../../src/commands/add-from/display/dry-run-forecast.ts";
import type { LimiterStatus } from "../../../../src/rate-limiter/rules/status.ts";

const now = Date.UTC(2026, 10, 21, 12, 0, 0);
const [second, minute, hour] = [1000, 60_000, 3_600_000] as const;

/** Returns limits that a reply announced `ago` ms before now. */
const seen = (remaining: number, limit: number, resetIn: number, ago = 500): LimiterStatus => ({
  now,
  remaining,
  limit,
  resetAt: now - ago + resetIn,
  seenAt: now - ago,
});

const blocked = { reason: "blocked", status: 429, ms: 30 * second } as const;

it.each<[string, LimiterStatus | undefined, number, string[]]>([
  ["all fit", seen(57, 60, minute), 57, ["57 animals are sent without waiting."]],
  ["one does not", seen(57, 60, minute, 0), 58, ["58 animals take at least 1 m."]],
  ["one is all", seen(1, 60, minute), 1, ["1 animal is sent without waiting."]],
  ["several minutes are needed", seen(57, 60, minute, 0), 600, ["600 animals take at least 10 m."]],
  ["the window is over", seen(3, 60, minute, hour), 60, ["60 animals are sent without waiting."]],
  [
    "more than the next is needed",
    seen(3, 60, minute, hour),
    61,
    ["61 animals take at least 1 m."],
  ],
  [
    "the limit is of a day",
    seen(3, 9, 12 * hour, 0),
    4,
    ["at least 12 h.", "The run would stop when"],
  ],
  [
    "a day is over",
    seen(3, 9, hour, 3 * hour),
    20,
    ["20 animals take at least 2 d.", "The run would stop when"],
  ],
  ["a plan is known by it", seen(60, 60, minute), 1001, ["at least 16", "this takes 2 days"]],
  ["there is no limit", seen(2_147_483_647, 2_147_483_647, minute), 9, ["has no rate limit: 9"]],
  [
    "nobody may send",
    { now, condition: blocked },
    9,
    ["until 12:00:30: 9 animals take at least 30 s"],
  ],
  [
    "nobody may send at first, and then only some",
    { ...seen(0, 60, 20 * second, 0), condition: blocked },
    61,
    ["until 12:00:30, then 60 per minute: 61 animals take at least 1 m 20 s"],
  ],
  [
    "nothing was seen",
    { now },
    9,
    ["the rate limits are not known yet. Run `pets limits --refresh`"],
  ],
  ["there is no key", undefined, 9, ["the rate limits are not known yet."]],
  ["nothing is to be sent", seen(0, 60, minute), 0, []],
])("says how long it would take if %s", (_case, status, rows, lines) => {
  const found = dryRunForecast(status, rows, 75_000);
  expect(found).toEqual(lines.map((line) => expect.stringContaining(line)));
});
