import { describe, expect, it } from "vitest";
import { type Asker, decide, recheckPermit } from "../../../src/rate-limiter/rules/decision.ts";
import { expirePermits } from "../../../src/rate-limiter/rules/reducer.ts";
import {
  timed,
  unavailable,
  lost,
  ok,
  probe,
  refused,
  release,
  reserve,
  stateOf,
  type Timed,
} from "../support/records.ts";

const go = { go: true, probe: false };
const goAsProbe = { go: true, probe: true };
const learning = { go: false, reason: "learning", ms: 34_000 };
const probing = (ms: number) => ({ go: false, reason: "probing", ms });
const blocked = (ms: number) => ({ go: false, reason: "blocked", ms, status: 429 });
const usedUp = (ms: number, limit = 10) => ({ go: false, reason: "used_up", limit, ms });

const reserves = (count: number, uptime = 0): Timed[] =>
  Array.from({ length: count }, (_, place) => [uptime, reserve(`r${place}`)]);

/** Decides at `now` for a request: a new one by default. */
function decided(events: readonly Timed[], now = 1000, asker: Asker = {}) {
  const state = stateOf(events, now);
  expirePermits(state, now);
  return decide(state, now, asker);
}

describe("while the limits are unknown", () => {
  it.each<[string, readonly Timed[], object, id?: string]>([
    ["nothing is known at all", [], go],
    ["four are in flight", reserves(4), go],
    ["five are in flight", reserves(5), learning],
    ["it is the fifth", reserves(6), go, "r4"],
    ["it is the sixth", reserves(6), learning, "r5"],
    ["one of five was not sent", [...reserves(5), [1, release("r3")]], go],
    ["one of five came to nothing", [...reserves(5), [1, lost("r3")]], go],
    ["one of five was answered without limits", [...reserves(5), [1, ok("r3")]], go],
    ["the window that was known has ended", [...reserves(6), [0, ok("r5", 0, 900)]], learning],
  ])("%s", (_name, events, expected, id) => {
    expect(decided(events, 1000, { id })).toEqual(expected);
  });

  it("permits expire", () => {
    expect(decided(reserves(5), 35_000)).toEqual(go);
  });
});

/** Returns a window with this many requests left, while this many others are in flight. */
const known = (remaining: number, open: number, ...ended: readonly Timed[]): Timed[] => [
  [0, reserve("first")],
  ...reserves(open, 10),
  [20, ok("first", remaining)],
  ...ended,
];
const next = ok("x", 9, 60_000, 2e12);
const earlier = ok("x", 0, 60_000, 5e11);

describe("within a known window", () => {
  it.each<[string, readonly Timed[], object, id?: string]>([
    ["all are free", known(9, 0), go],
    ["one is left and none in flight", known(1, 0), go],
    ["none is left", known(0, 0), usedUp(59_020)],
    ["as many are in flight as are left", known(6, 6), usedUp(59_020)],
    ["one more is left", known(7, 6), go],
    ["its own permit is the last that is left", known(6, 8), go, "r5"],
    ["its own permit is behind that", known(6, 8), usedUp(59_020), "r6"],
    ["one was lost, which counts as sent", known(2, 2, [30, lost("r0")]), usedUp(59_020)],
    ["one was not sent", known(2, 2, [30, release("r0")]), go],
    ["a late reply announces more", known(2, 2, [30, ok("r0", 8)]), go],
    ["a late reply announces more than is left", known(1, 2, [30, ok("r0", 8)]), usedUp(59_020)],
    ["another window has come", known(0, 0, [30, reserve("x")], [40, next]), go],
    ["a reply of the window before came late", known(3, 0, [30, reserve("x")], [40, earlier]), go],
  ])("%s", (_name, events, expected, id) => {
    expect(decided(events, 1000, { id })).toEqual(expected);
  });
});

/** Returns the waits that a 429 and then a 503 ask for. */
const both = (banMs: number, ms: number): Timed[] => [
  [0, refused("a", banMs)],
  [0, unavailable("b", ms)],
];

describe("a wait that the service asked for", () => {
  const told = timed([0, reserve("a")], [0, reserve("b")], [100, refused("a", 30_000)]);
  const told2s = timed([0, reserve("a")], [100, refused("a", 2000, 0)]);
  const probed = (...then: readonly Timed[]): Timed[] => [...told, [30_100, probe("p")], ...then];

  const away = timed([0, unavailable("a", 60_000)]);
  it.each<[string, readonly Timed[], number, object, id?: string]>([
    ["lasts", told, 1100, blocked(29_000)],
    ["lasts to its last millisecond", told, 30_099, blocked(1)],
    ["has ended", told, 30_100, goAsProbe],
    ["ends before the reset of the exhausted window", told2s, 2100, goAsProbe],
    ["is ended by the probe", [...told2s, [2100, probe("b")], [2200, ok("b", 3)]], 3000, go],
    ["is not lifted by a late 200", [...told, [200, ok("b", 5)]], 1100, blocked(29_000)],
    ["is not shortened", [...told, [200, refused("b", 1000)]], 1100, blocked(29_000)],
    ["is extended by a longer one", [...told, [200, refused("b", 60_000)]], 1200, blocked(59_000)],
    ["is 24 h at most", timed([0, refused("b", 9e9)]), 0, blocked(86_400_000)],
    ["has ended, and one tries", probed(), 30_200, probing(9900)],
    ["makes the first to ask the one", probed([30_100, probe("q")]), 30_200, goAsProbe, "p"],
    ["makes the second wait", probed([30_100, probe("q")]), 30_200, probing(9900), "q"],
    ["had a probe that was not sent", probed([30_150, release("p")]), 30_200, goAsProbe],
    ["had a probe without a reply", probed([30_150, lost("p")]), 30_200, goAsProbe],
    ["had a probe that succeeded", probed([30_150, ok("p", 9)]), 30_200, go],
    ["had a probe that was refused", probed([30_150, refused("p", 5000)]), 30_200, blocked(4950)],
  ])("%s", (_name, events, now, expected, id) => {
    expect(decided(events, now, { id })).toEqual(expected);
  });

  it.each<[string, readonly Timed[], number, object, id?: string]>([
    ["may ask while a 503 asks to wait", away, 1000, goAsProbe],
    ["may not while a 429 asks to wait", told, 1100, blocked(29_000)],
    [
      "may not until a 429 has waited that came before it",
      both(30_000, 60_000),
      1000,
      blocked(29_000),
    ],
    [
      "may not until a 429 has waited that came after it",
      [...away, [0, refused("b", 30_000)]],
      1000,
      blocked(29_000),
    ],
    [
      "may once a 429 has waited, in a longer wait of a 503",
      both(30_000, 60_000),
      30_000,
      goAsProbe,
    ],
    ["waits for another that asks", [...away, [500, probe("p")]], 1000, probing(9500)],
    [
      "waits for a window that is used up",
      [...known(0, 0), [30, unavailable("x", 9000)]],
      1000,
      usedUp(59_020),
    ],
  ])("despite a 503 a request %s", (_name, events, now, expected, id) => {
    expect(decided(events, now, { id, despite503: true })).toEqual(expected);
  });

  it.each<[string, readonly Timed[], object]>([
    [
      "a success of such a request ends it",
      [
        [500, probe("p")],
        [600, ok("p", 9)],
      ],
      go,
    ],
    [
      "another 503 extends it",
      [
        [500, probe("p")],
        [600, unavailable("p", 99_000)],
      ],
      { ms: 98_600 },
    ],
    [
      "a 429 of such a request bans",
      [
        [500, probe("p")],
        [600, refused("p", 30_000)],
      ],
      { ms: 59_000 },
    ],
    ["a success of an earlier request does not", [[600, ok("b", 9)]], { ms: 59_000 }],
    ["machines that share the limiter know that it has ended", [[600, { kind: "lift" }]], go],
    [
      "that does not count after a 429",
      [
        [500, refused("c", 30_000)],
        [600, { kind: "lift" }],
      ],
      { ms: 59_000 },
    ],
  ])("of a 503: %s", (_name, then, expected) => {
    expect(decided([[0, reserve("b")], ...away, ...then])).toMatchObject(expected);
  });

  it("of an unavailable service does not change the window", () => {
    const exhausted = { ...refused("a", 2000, 0), status: 503 };
    expect(decided(timed([0, reserve("a")], [100, exhausted]), 3000)).toEqual(usedUp(57_100));
  });

  it("is followed by a probe that has 10 s from its last sign of life", () => {
    const long: Timed = [30_100, { kind: "probe", id: "p", pid: 1, lifeMs: 3_600_000 }];
    expect(decided([...told, long], 40_099)).toEqual(probing(1));
    expect(decided([...told, long], 40_100)).toEqual(goAsProbe);
    const alive: Timed[] = [...told, long, [33_100, { kind: "alive", id: "p" }]];
    expect(decided(alive, 43_099)).toEqual(probing(1));
    expect(decided(alive, 43_100)).toEqual(goAsProbe);
  });

  it("is followed by no probe while a window is exhausted", () => {
    expect(decided([[0, ok("z", 0, 40_000)], ...told], 35_000)).toEqual(usedUp(5000));
  });
});

describe("refusals in a row", () => {
  const first = timed([0, reserve("a")], [0, reserve("b")], [1, refused("a", 10)]);
  it.each<[string, readonly Timed[], number]>([
    ["none", timed([0, reserve("a")], [1, ok("a", 3)]), 0],
    ["one", first, 1],
    ["one, of those that were in flight together", [...first, [2, refused("b", 10)]], 1],
    ["one after the other", [...first, [20, probe("c")], [21, refused("c", 10)]], 2],
    ["until one succeeds", [...first, [20, probe("c")], [21, ok("c")]], 0],
  ])("%s", (_name, events, expected) => {
    expect(stateOf(events).strikes).toBe(expected);
  });
});

/** Returns a window of 60 with this many requests left. */
const sixty = (remaining: number, open = 0): Timed[] => [
  ...reserves(open, 10),
  [20, { ...ok("first", remaining), limit: 60 }],
];

describe("a bulk run", () => {
  const share = { ...usedUp(57_020, 60), reserved: 3 };
  const reserved = { ...usedUp(59_020, 60), reserved: 12 };

  it.each<[string, readonly Timed[], Asker, object]>([
    ["is another command", sixty(1), {}, go],
    ["has more than the share", sixty(4), { rowsLeft: 100 }, go],
    ["has only the share", sixty(3), { rowsLeft: 100 }, share],
    ["has only the share besides what is in flight", sixty(8, 5), { rowsLeft: 100 }, share],
    ["has rows that all fit", sixty(3), { rowsLeft: 3 }, go],
    ["has nothing at all", sixty(0), { rowsLeft: 100 }, usedUp(59_020, 60)],
    ["has more than its reserve", sixty(13), { rowsLeft: 100, reservePercent: 20 }, go],
    ["has only its reserve", sixty(12), { rowsLeft: 100, reservePercent: 20 }, reserved],
    ["has less than its reserve", sixty(5), { rowsLeft: 100, reservePercent: 20 }, reserved],
    ["has its reserve for the last row", sixty(12), { rowsLeft: 1, reservePercent: 20 }, reserved],
  ])("that %s", (_name, events, asker, expected) => {
    expect(decided(events, 1000, asker)).toEqual(expected);
  });

  it("with a reserve sends one request at a time until the limits are known", () => {
    expect(decided(reserves(1), 1000, { rowsLeft: 9, reservePercent: 20 })).toEqual(learning);
    expect(decided(reserves(1), 1000, { waitsForFirstReply: true })).toEqual(learning);
    expect(decided(reserves(1), 1000, {})).toEqual(go);
  });
});

describe("a permit that is checked again after a back-off", () => {
  it.each<[string, readonly Timed[], object]>([
    ["the first probe", timed([900, probe("own")]), goAsProbe],
    ["a probe behind another", timed([800, probe("a")], [900, probe("own")]), probing(9800)],
    ["one that is not a probe", timed([900, reserve("own")]), probing(0)],
    ["one that another process has swept", [], goAsProbe],
  ])("%s", (_name, events, expected) => {
    const state = stateOf([[0, refused("x", 500)], ...events], 1000);
    expect(recheckPermit(state, 1000, { id: "own" })).toEqual(expected);
  });
});
