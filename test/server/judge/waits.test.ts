import { describe, expect, it } from "vitest";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { announcedWaits, findEarly } from "../../../src/server/judge/waits.ts";
import { arrivalOf, ask, refused } from "./facts.ts";

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
    [
      "none that waited as long in real time, by a clock that was set back",
      [refused(0), ask(900, { arrivedAtStore: -11_000 }), ask(1_001, { arrivedAtStore: -9_999 })],
      [900],
    ],
  ])("returns %s", (_what, requests, expected) => {
    expect(findEarly(requests).map(({ request }) => request.arrivedAt)).toEqual(expected);
  });

  it("returns the refusal with the longest wait", () => {
    const longest = refused(9, 5_000);
    expect(findEarly([refused(0), longest, ask(500)])).toMatchObject([{ refused: longest }]);
  });
});

describe("announcedWaits", () => {
  const forced = { wait: { until: 5_000, elapsedUntil: 5_000, isBan: false, isForced: true } };
  it.each<[string, readonly EndedRequest[], EndedRequest, boolean, boolean | undefined]>([
    ["nothing was announced", [], ask(500), false, undefined],
    ["it broke a wait of the limits", [refused(0)], ask(500), true, true],
    ["it was on its way", [refused(0)], ask(251), false, false],
    ["that wait is over", [refused(0)], ask(1_001), false, undefined],
    ["it broke a forced wait alone", [refused(0, 100), ask(0, forced)], ask(500), true, undefined],
    ["and one of the limits not", [refused(300), ask(0, forced)], ask(500), true, false],
    ["another key was refused", [refused(0, 1_000, { key: "other" })], ask(500), false, undefined],
  ])("know that %s", (_what, told, request, isEarly, breaksLimits) => {
    const waits = announcedWaits();
    for (const each of told) {
      waits.add(each);
      if (each.wait?.isForced === false) waits.announce(each.key, each.wait.until);
    }
    expect(waits.check(...arrivalOf(request))).toEqual({ isEarly, breaksLimits });
  });

  it("know that a response is still to be sent that announces a wait", () => {
    const waits = announcedWaits();
    waits.announce("k", 1_000);
    expect(waits.check(...arrivalOf(ask(500)))).toEqual({ isEarly: false, breaksLimits: false });
  });

  it("forget a refusal whose client turns out not to have read it", () => {
    const waits = announcedWaits();
    const unread = refused(0);
    waits.add(unread);
    Object.assign(unread, { isComplete: false });
    expect(waits.check(...arrivalOf(ask(500))).isEarly).toBe(false);
  });
});
