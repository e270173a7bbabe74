import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareIds,
  decodeEntry,
  encodeEntry,
  type StreamEntry,
  unfoldEntries,
} from "../../../../src/rate-limiter/log/redis/entries.ts";
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

const alive = { kind: "alive", id: "p" } as const;

describe("an entry of the stream", () => {
  it.each([
    [[[0, reserve("a")]]],
    [
      [
        [0, probe("p")],
        [0, alive],
      ],
    ],
    [
      [
        [0, ok("a", 4)],
        [0, refused("b", 5000)],
        [-3000, lost("c")],
      ],
    ],
  ] as const)("is decoded as it was written, with its time", (events) => {
    const at = (start: number) => events.map(([ms, event]) => [start + ms, event]);
    expect(decodeEntry({ id: "9000-1", fields: encodeEntry(events) })).toEqual({
      events: at(9000),
    });
    const fields = encodeEntry(events, "8000-0");
    expect(decodeEntry({ id: "9000-1", fields })).toEqual({ events: at(8000), covers: "8000-0" });
  });

  it.each([
    ["its id", undefined],
    ["its id, as a snapshot", "8000-0"],
  ])("has no event later than %s", (_name, covers) => {
    const fields = encodeEntry([[1e12, reserve("a")]], covers);
    expect(decodeEntry({ id: "9000-1", fields }).events).toEqual([[9000, reserve("a")]]);
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
  ])("has no events if it is invalid: %j", (fields) => {
    expect(decodeEntry({ id: "5-1", fields })).toEqual({ events: [] });
  });
});

const entry = (id: string, event: string): StreamEntry => {
  return { id, fields: encodeEntry([[0, reserve(event)]]) };
};
const snapshot = (id: string, covers: string, event: string): StreamEntry => {
  return { id, fields: encodeEntry([[0, reserve(event)]], covers) };
};

describe("unfoldEntries", () => {
  const [one, two, three] = [entry("1-0", "a"), entry("2-0", "b"), entry("3-0", "c")];

  it.each<[string, StreamEntry[], boolean, string[], number | undefined]>([
    ["nothing", [], true, [], undefined],
    ["entries", [one, two], true, ["a", "b"], undefined],
    [
      "a snapshot, and what it does not cover",
      [one, two, snapshot("4-0", "1-0", "s")],
      true,
      ["s", "b"],
      1,
    ],
    [
      "the snapshot that covers most",
      [one, two, snapshot("4-0", "2-0", "s"), snapshot("5-0", "1-0", "t")],
      true,
      ["s"],
      1,
    ],
    ["what follows a snapshot", [snapshot("2-1", "2-0", "s"), three], true, ["s", "c"], 2],
    ["no snapshot of what was read before", [snapshot("2-1", "2-0", "s"), three], false, ["c"], 2],
    ["invalid entries", [{ id: "1-0", fields: ["x"] }, two], true, ["b"], undefined],
  ])("returns %s", (_name, entries, fromStart, expected, sinceSnapshot) => {
    const found = unfoldEntries(entries, fromStart);
    expect(found.events.map(([, event]) => ("id" in event ? event.id : ""))).toEqual(expected);
    expect(found.sinceSnapshot).toBe(sinceSnapshot);
  });
});
