import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareIds,
  decodeEntry,
  encodeEntry,
} from "../../../../src/rate-limiter/log/redis/stream.ts";
import type { LogRecord } from "../../../../src/rate-limiter/rules/records.ts";
import { lost, ok, probe, refused, reserve } from "../../support/records.ts";

const ids = fc.tuple(fc.nat(), fc.nat());
const text = ([ms, seq]: readonly [number, number]): string => `${ms}-${seq}`;

describe("compareIds", () => {
  it("orders by time, then by number", () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const expected = Math.sign(a[0] - b[0] || a[1] - b[1]);
        expect(Math.sign(compareIds(text(a), text(b)))).toBe(expected);
      }),
    );
  });
});

const record = (event: LogRecord["event"], uptime = 0): LogRecord => ({
  stamp: { boot: "", uptime, wall: 0 },
  event,
});
const alive = { kind: "alive", id: "p" } as const;

describe("an entry of the stream", () => {
  it.each([
    [[record(reserve("a"))]],
    [[record(probe("p")), record(alive)]],
    [[record(ok("a", 4)), record(refused("b", 5000)), record(lost("c"), -3000)]],
  ])("is decoded as it was written", (records) => {
    const fields = encodeEntry({ records });
    expect(decodeEntry({ id: "5-1", fields })).toEqual({ records });
    const snapshot = encodeEntry({ records, covers: "4-0" });
    expect(decodeEntry({ id: "5-1", fields: snapshot })).toEqual({ records, covers: "4-0" });
  });

  it.each([
    [["x", "y"]],
    [["r"]],
    [["r", "no JSON"]],
    [["r", '["begin",["reserve",7]]']],
    [["r", '["reserve","",0,0,"a",0,32000]']],
    [["r", '["begin"]', "s", "not an id"]],
    [["r", '["begin"]', "s", "5-1"]],
    [[]],
  ])("has no records if it is invalid: %j", (fields) => {
    expect(decodeEntry({ id: "5-1", fields })).toEqual({ records: [] });
  });
});
