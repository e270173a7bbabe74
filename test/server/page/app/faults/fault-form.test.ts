import { expect, it } from "vitest";
import {
  latencyProblem,
  readLatency,
  readShares,
  shareProblem,
  writeLatency,
  writeShare,
} from "../../../../../src/server/page/app/faults/fault-form.ts";

it.each([
  ["", []],
  [
    "429:0.1,hang:0.025",
    [
      ["429", 10],
      ["hang", 2.5],
    ],
  ],
  ["reset:0.0001", [["reset", 0.01]]],
])("reads the shares of %j", (text, expected) => {
  expect([...readShares(text)]).toEqual(expected);
});

it.each([
  [10, "500:0.1"],
  [100, "500:1"],
  [0, "500:0"],
  [0.0001, "500:0.000001"],
  [33.3333, "500:0.333333"],
])("writes %d percent as %s", (percent, text) => {
  expect(writeShare("500", percent)).toBe(text);
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
  const problem = shareProblem(readShares("429:0.8,500:0.1"), "500", percent);
  expect(problem ?? "").toMatch(expected);
});

it.each([
  ["200±50", { ms: 200, jitter: 50 }],
  ["7", { ms: 7, jitter: 0 }],
  ["0", { ms: 0, jitter: 0 }],
])("reads the latency %s", (text, latency) => {
  expect(readLatency(text)).toEqual(latency);
  expect(readLatency(writeLatency(latency))).toEqual(latency);
});

it.each([
  [{ ms: 0, jitter: 3_600_000 }, true],
  [{ ms: 1.5, jitter: 0 }, false],
  [{ ms: -1, jitter: 0 }, false],
  [{ ms: 0, jitter: 3_600_001 }, false],
  [{ ms: Number.NaN, jitter: 0 }, false],
])("takes the latency %j: %s", (latency, isValid) => {
  expect(latencyProblem(latency) === undefined).toBe(isValid);
});
