import { assert, constantFrom, integer, property, record, uniqueArray } from "fast-check";
import { describe, expect, it } from "vitest";
import type { FaultKind } from "../../../src/core/enums.ts";
import { faultKinds } from "../../../src/core/enums.ts";
import {
  drawFault,
  drawLatency,
  formatFaults,
  formatLatency,
  parseFaults,
  parseLatency,
  withShares,
} from "../../../src/server/lab/fault-spec.ts";

describe("parseFaults", () => {
  it.each([
    ["", []],
    ["off", []],
    ["off,429:0.1", undefined],
    ["429:0.1", [["429", 0.1]]],
    ["429:1", [["429", 1]]],
    ["hang:0", [["hang", 0]]],
    ["reset:.5,truncate:0.5", Object.entries({ reset: 0.5, truncate: 0.5 })],
    [
      "429:0.1,500:0.05,reset:0.02,truncate:0.02,hang:0.01",
      Object.entries({ 429: 0.1, 500: 0.05, reset: 0.02, truncate: 0.02, hang: 0.01 }),
    ],
    ["429:0.7,500:0.1,reset:0.2", expect.anything()],
    ["429:0.6,500:0.5", undefined],
    ["reset:.5,truncate:1.0", undefined],
    ["429:0.1,429:0.1", undefined],
    ["429", undefined],
    ["429:", undefined],
    ["429:1.5", undefined],
    ["429:-0.1", undefined],
    ["429:1e-1", undefined],
    ["429:0.1,", undefined],
    [",429:0.1", undefined],
    ["429:0.1, 500:0.1", undefined],
    ["429=0.1", undefined],
    ["503:0.1", undefined],
    ["delay:0.1", undefined],
    ["RESET:0.1", undefined],
    ["toString:0.1", undefined],
  ])("%j", (text, expected) => {
    const shares = parseFaults(text);
    expect(shares && [...shares]).toEqual(expected);
  });

  it("reads what formatFaults writes", () => {
    const part = record({
      kind: constantFrom(...faultKinds),
      p: integer({ max: 200, min: 0 }),
    });
    assert(
      property(uniqueArray(part, { selector: ({ kind }) => kind }), (parts) => {
        const shares = new Map(parts.map(({ kind, p }): [FaultKind, number] => [kind, p / 1000]));
        expect(parseFaults(formatFaults(shares))).toEqual(shares);
      }),
    );
  });
});

describe("latencies", () => {
  it.each([
    ["0", 0, 0],
    ["off", 0, 0],
    ["", 0, 0],
    ["5s", 5_000, 0],
    ["1.5s±200ms", 1_500, 200],
    ["1h", 3_600_000, 0],
    ["100", 100, 0],
    ["100±50", 100, 50],
    ["100+-50", 100, 50],
    ["3600000", 3_600_000, 0],
  ])("%s", (text, ms, jitter) => {
    const latency = parseLatency(text) ?? { ms: Number.NaN, jitter: 0 };
    expect(latency).toEqual({ ms, jitter });
    expect(parseLatency(formatLatency(latency))).toEqual(latency);
  });

  it.each("-1 1.5 1d 2h 5x 100± ±50 1±2±3 100+50 100-50 3600001 1±3600001 ١ off±1".split(" "))(
    "refuses %j",
    (text) => {
      expect(parseLatency(text)).toBeUndefined();
    },
  );

  it.each([
    [{ ms: 100, jitter: 50 }, 0, 50],
    [{ ms: 100, jitter: 50 }, 0.5, 100],
    [{ ms: 100, jitter: 50 }, 0.75, 125],
    [{ ms: 10, jitter: 50 }, 0, 0],
    [{ ms: 7, jitter: 0 }, 0.1, 7],
  ])("of %j draw with %d: %d", (latency, number, expected) => {
    expect(drawLatency(latency, number)).toBeCloseTo(expected);
  });
});

it.each(["429:0.1,500:0.05,reset:0.02,truncate:0.02,hang:0.01", "429:0.7,500:0.1,reset:0.2", ""])(
  "draws each fault of %j as often as its share says",
  (text) => {
    const shares = parseFaults(text) ?? new Map();
    const drawn = Array.from({ length: 1_000 }, (_, n) => drawFault(shares, (n + 0.5) / 1_000));
    for (const kind of faultKinds)
      expect(drawn.filter((each) => each === kind).length / 1_000).toBe(shares.get(kind) ?? 0);
  },
);

it.each([
  ["429:0.8", "500:0.2", "429:0.8,500:0.2"],
  ["429:0.8", "500:0.3", undefined],
  ["429:0.8,500:0.2", "429:0.1", "429:0.1,500:0.2"],
  ["429:0.8,500:0.2", "429:0", "500:0.2"],
  ["", "hang:0", ""],
])("the shares %j with %j are %j", (before, change, after) => {
  const shares = withShares(parseFaults(before) ?? new Map(), parseFaults(change) ?? new Map());
  expect(shares && formatFaults(shares)).toBe(after);
});

it("writes a tiny share in plain digits, which it reads again", () => {
  const shares = parseFaults("429:0.00000001") ?? new Map();
  expect(formatFaults(shares)).toBe("429:0.00000001");
  expect(parseFaults(formatFaults(shares))).toEqual(shares);
});
