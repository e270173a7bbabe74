import { expect, it } from "vitest";
import { parseFaults } from "../../../../src/server/lab/fault-spec.ts";
import { latencyText, shareText, toPercent } from "../../../../src/server/page/app/fault-form.ts";

const problemOf = (make: () => string): string => {
  try {
    return make() && "";
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
};

it.each([
  [10, "500:0.1"],
  [100, "500:1"],
  [0, "500:0"],
  [0.07, "500:0.0007"],
  [0.00001, "500:0.0000001"],
  [33.3333, "500:0.333333"],
])("sets %d percent with %s, and shows it so", (percent, text) => {
  expect(shareText(new Map(), "500", percent)).toBe(text);
  expect(toPercent(parseFaults(text)?.get("500") ?? 0)).toBe(percent);
});

it.each([
  [20, /^$/],
  [0, /^$/],
  [20.5, /leaves 20%/],
  [80, /other faults take 80% of the requests, which leaves 20%/],
  [-1, /from 0 to 100/],
  [101, /from 0 to 100/],
  [Number.NaN, /from 0 to 100/],
])("judges %d percent beside 80", (percent, expected) => {
  const shares = parseFaults("429:0.8,500:0.1") ?? new Map();
  expect(problemOf(() => shareText(shares, "500", percent))).toMatch(expected);
});

it.each([
  [{ ms: 0, jitter: 3_600_000 }, true],
  [{ ms: 1.5, jitter: 0 }, false],
  [{ ms: -1, jitter: 0 }, false],
  [{ ms: 0, jitter: 3_600_001 }, false],
  [{ ms: Number.NaN, jitter: 0 }, false],
])("takes the latency %j: %s", (latency, isValid) => {
  expect(problemOf(() => latencyText(latency)) === "").toBe(isValid);
});
