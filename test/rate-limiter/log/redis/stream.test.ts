import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareIds, idMs, isStreamId } from "../../../../src/rate-limiter/log/redis/stream.ts";

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

describe("isStreamId", () => {
  it.each([
    ["1-0", true],
    ["1", false],
    ["-", false],
    ["1-0 ", false],
    ["999999999999999999-0", false],
  ])("%s: %s", (id, expected) => {
    expect(isStreamId(id)).toBe(expected);
  });
});

describe("idMs", () => {
  it("is the time of an id", () => expect(idMs("1795348710191-3")).toBe(1_795_348_710_191));
});
