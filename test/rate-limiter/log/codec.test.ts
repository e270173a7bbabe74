import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeSnapshot,
  decodeLines,
  encodeLogRecord,
} from "../../../src/rate-limiter/log/codec.ts";
import type { LimiterEvent, LogRecord } from "../../../src/rate-limiter/rules/records.ts";

const count = fc.nat(Number.MAX_SAFE_INTEGER);
const id = fc.stringMatching(/^[!-~]{1,16}$/);
const limits = { limit: count, remaining: count, reset: fc.maxSafeInteger(), endsIn: count };
const status = fc.integer({ min: 200, max: 599 });

const event: fc.Arbitrary<LimiterEvent> = fc.oneof(
  fc.record({ kind: fc.constantFrom("reserve", "probe"), id, pid: count, lifeMs: count }),
  fc.record({ kind: fc.constantFrom("release", "lost"), id }),
  fc.record(
    { kind: fc.constant("reply"), id, status, waitMs: count, ...limits },
    { requiredKeys: ["kind", "id", "status"] },
  ),
  fc.record(
    { kind: fc.constant("limits"), ...limits, length: limits.endsIn },
    { requiredKeys: ["kind"] },
  ),
  fc.record({ kind: fc.constant("uncounted"), count }),
  fc.record({ kind: fc.constant("block"), status, waitMs: count, strikes: count }),
  fc.record({ kind: fc.constant("seal") }),
);

const record: fc.Arbitrary<LogRecord> = fc.record({
  stamp: fc.record({
    boot: fc.oneof(id, fc.constant("")),
    uptime: count,
    wall: fc.maxSafeInteger(),
  }),
  event,
});

const parseLine = (text: string) => decodeLines([text])[0];

describe("the words on disk, which are the code's", () => {
  const stamp = { boot: "b", uptime: 1, wall: 2 };
  const observed = { limit: 5, remaining: 4, reset: 9, endsIn: 8 };

  it.each<[LimiterEvent, string]>([
    [{ kind: "reserve", id: "a", pid: 3, lifeMs: 4 }, '["reserve","b",1,2,"a",3,4]'],
    [{ kind: "probe", id: "a", pid: 3, lifeMs: 4 }, '["probe","b",1,2,"a",3,4]'],
    [{ kind: "release", id: "a" }, '["release","b",1,2,"a"]'],
    [{ kind: "lost", id: "a" }, '["lost","b",1,2,"a"]'],
    [
      { kind: "reply", id: "a", status: 429, waitMs: 7, ...observed },
      '["reply","b",1,2,"a",429,7,5,4,9,8]',
    ],
    [{ kind: "limits", ...observed, length: 7 }, '["limits","b",1,2,5,4,9,8,7]'],
    [{ kind: "uncounted", count: 3 }, '["uncounted","b",1,2,3]'],
    [{ kind: "block", status: 429, waitMs: 7, strikes: 1 }, '["block","b",1,2,429,7,1]'],
    [{ kind: "seal" }, '["seal","b",1,2]'],
  ])("%j is %s", (what, text) => {
    expect(encodeLogRecord({ stamp, event: what })).toBe(`\n${text}`);
    expect(parseLine(text)).toEqual({ isSnapshot: false, records: [{ stamp, event: what }] });
  });
});

describe("a record as a line", () => {
  it("is decoded unchanged, and begins with its line break", () => {
    fc.assert(
      fc.property(record, (one) => {
        const text = encodeLogRecord(one);
        expect(text.lastIndexOf("\n")).toBe(0);
        expect(parseLine(text.slice(1))).toEqual({ isSnapshot: false, records: [one] });
      }),
    );
  });

  it("is invalid when it is truncated anywhere", () => {
    fc.assert(
      fc.property(record, fc.nat(), (one, at) => {
        const text = encodeLogRecord(one).slice(1);
        expect(parseLine(text.slice(0, at % text.length))).toBeUndefined();
      }),
    );
  });

  it("is part of a snapshot, which is decoded completely or not at all", () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 5 }), fc.nat(), (records, at) => {
        const text = encodeSnapshot(records).slice(1);
        expect(parseLine(text)).toEqual({ isSnapshot: true, records });
        expect(parseLine(text.slice(0, at % text.length))).toBeUndefined();
      }),
    );
  });

  it.each([
    "",
    "[",
    "[]",
    "{}",
    '"seal"',
    '["seal","b",1]',
    '["seal","b",1.5,2]',
    '["seal","b","1",2]',
    '["reserve","b",1,2]',
    '["reserve","b",1,2,"",3,4]',
    '["reserve","b",1,2,"aaaaaaaaaaaaaaaaa",3,4]',
    '["reserve","b",1,2,"é",3,4]',
    '["reserve","bbbbbbbbbbbbbbbbb",1,2,"a",3,4]',
    '["reserve","b",1,2,"a",-3,4]',
    '["reserve","b",1,2,"a",3]',
    '["reserve","b",1,2,"a",3,1e99]',
    '["reply","b",1,2,"a"]',
    '["block","b",1,2,429,null,1]',
    '["unknown","b",1,2,"a"]',
    '["begin",["seal"]]',
    '["begin",["begin","b",1,2]]',
  ])("%s is invalid", (text) => {
    expect(parseLine(text)).toBeUndefined();
  });

  it("is decoded the same among any other lines", () => {
    const half = record.map((one) => encodeLogRecord(one).slice(1, -3));
    const whole = record.map((one) => encodeLogRecord(one).slice(1));
    const junk = fc.constantFrom("]", "[", "1,2", "],[", '"', "{}", " ");
    fc.assert(
      fc.property(fc.array(fc.oneof(whole, half, junk)), (texts) => {
        expect(decodeLines(texts)).toEqual(texts.map(parseLine));
      }),
      { examples: [[['"', '"', '["seal","b",1,2]', "1,2"]]] },
    );
  });

  it("drops the fields of a reply that are not numbers", () => {
    const line = parseLine('["reply","b",1,2,"a",200,"3",-1,{},true,1.5]');
    expect(line?.records[0]?.event).toEqual({ kind: "reply", id: "a", status: 200 });
  });
});
