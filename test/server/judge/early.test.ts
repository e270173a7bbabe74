import { describe, expect, it } from "vitest";
import { findEarly } from "../../../src/server/judge/early.ts";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { ask, refused } from "./facts.ts";

describe("findEarly", () => {
  const here = { connection: 1 };
  it.each<[string, readonly EndedRequest[], readonly number[]]>([
    ["none without a 429", [ask(0), ask(1)], []],
    ["one before Retry-After elapsed", [refused(0), ask(500)], [500]],
    ["each of those", [refused(0), ask(500), refused(600), ask(700)], [500, 600, 700]],
    ["none that was on its way", [refused(0), ask(251)], []],
    ["one that was sent after the grace", [refused(0), ask(252)], [252]],
    ["one on the connection on which the 429 was read", [refused(0, 99, here), ask(2, here)], [2]],
    ["none that was pipelined before the 429", [refused(0, 99, here), ask(0, here)], []],
    ["none on a connection where nothing was refused", [refused(0, 99, here), ask(2)], []],
    [
      "one within the grace of its own connection, whatever another one was told",
      [refused(0, 1_000, here), refused(1, 5_000), ask(9, here)],
      [9],
    ],
    ["none after the wait", [refused(0), ask(1_001)], []],
    ["none of a timer that fires some ms too soon", [refused(0), ask(997)], []],
    ["none of another key", [refused(0), ask(500, { key: "other" })], []],
    ["none if the 429 did not arrive", [refused(0, 1_000, { isComplete: false }), ask(500)], []],
    ["one before the longer of two waits", [refused(0, 5_000), refused(9), ask(2_000)], [2_000]],
    ["none on its way at a second wait", [refused(0), refused(1_001), ask(1_200)], []],
    ["one that ends after the wait", [refused(0), ask(500, { endedAt: 3_000 })], [500]],
    ["one whose 429 is reported later", [ask(500), refused(0)], [500]],
    [
      "one by the store's clock, which was moved on",
      [refused(0), ask(300, { arrivedAtStore: 900 }), ask(301, { arrivedAtStore: 61_000 })],
      [300],
    ],
  ])("returns %s", (_what, requests, expected) => {
    expect(findEarly(requests).map(({ request }) => request.arrivedAt)).toEqual(expected);
  });

  it("returns the refusal with the longest wait", () => {
    const longest = refused(9, 5_000);
    expect(findEarly([refused(0), longest, ask(500)])).toMatchObject([{ refused: longest }]);
  });
});
