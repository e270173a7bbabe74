import { describe, expect, it } from "vitest";
import { decide, recheckPermit } from "../../../src/rate-limiter/rules/decision.ts";
import { expirePermits } from "../../../src/rate-limiter/rules/reducer.ts";
import {
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
const held = (reason: string, ms: number, more: object = {}) => ({
  go: false,
  reason,
  ms,
  ...more,
});
const reserves = (count: number, at = 0): Timed[] =>
  Array.from({ length: count }, (_, place) => [at, reserve(`r${place}`)]);

/** Decides for a new request, or the one with the permit `id`, at `now`. */
function decision(events: readonly Timed[], now: number, id?: string) {
  const state = stateOf(events, now);
  expirePermits(state, now);
  return decide(state, now, { id });
}

describe("while the limits are unknown", () => {
  it.each<[string, readonly Timed[], string | undefined, object]>([
    ["nothing is known at all", [], undefined, go],
    ["four are in flight", reserves(4), undefined, go],
    ["five are in flight", reserves(5), undefined, held("learning", 34_000)],
    ["it is the fifth", reserves(6), "r4", go],
    ["it is the sixth", reserves(6), "r5", held("learning", 34_000)],
    ["one of five was not sent", [...reserves(5), [1, release("r3")]], undefined, go],
    ["one of five came to nothing", [...reserves(5), [1, lost("r3")]], undefined, go],
    ["one of five was answered without limits", [...reserves(5), [1, ok("r3")]], undefined, go],
    [
      "the window that was known is over",
      [...reserves(6), [0, ok("r5", 0, 900)]],
      undefined,
      held("learning", 34_000),
    ],
  ])("%s", (_name, events, id, expected) => {
    expect(decision(events, 1000, id)).toEqual(expected);
  });

  it("permits expire", () => {
    expect(decision(reserves(5), 35_000)).toEqual(go);
  });
});

/** Returns a window with this many requests left, while this many others are in flight. */
const known = (remaining: number, open: number, ended: readonly Timed[] = []): Timed[] => [
  [0, reserve("first")],
  ...reserves(open, 10),
  [20, ok("first", remaining)],
  ...ended,
];

describe("within a known window", () => {
  it.each<[string, readonly Timed[], string | undefined, object]>([
    ["all are free", known(9, 0), undefined, go],
    ["one is left and none on its way", known(1, 0), undefined, go],
    ["none is left", known(0, 0), undefined, held("used_up", 59_020, { limit: 10 })],
    [
      "as many are in flight as are left",
      known(6, 6),
      undefined,
      held("used_up", 59_020, { limit: 10 }),
    ],
    ["one more is left", known(7, 6), undefined, go],
    ["its own permit is the last that is left", known(6, 8), "r5", go],
    ["its own permit is behind that", known(6, 8), "r6", held("used_up", 59_020, { limit: 10 })],
    [
      "one was lost, which counts as sent",
      known(2, 2, [[30, lost("r0")]]),
      undefined,
      held("used_up", 59_020, { limit: 10 }),
    ],
    ["one was not sent", known(2, 2, [[30, release("r0")]]), undefined, go],
    ["a late reply announces more", known(2, 2, [[30, ok("r0", 8)]]), undefined, go],
    [
      "a late reply announces more, and as many are in flight",
      known(1, 2, [[30, ok("r0", 8)]]),
      undefined,
      held("used_up", 59_020, { limit: 10 }),
    ],
    [
      "another window has come",
      known(0, 0, [
        [30, reserve("x")],
        [40, ok("x", 9, 60_000, 2e12)],
      ]),
      undefined,
      go,
    ],
    [
      "a reply of the window before came late",
      known(3, 0, [
        [30, reserve("x")],
        [40, ok("x", 0, 60_000, 5e11)],
      ]),
      undefined,
      go,
    ],
  ])("%s", (_name, events, id, expected) => {
    expect(decision(events, 1000, id)).toEqual(expected);
  });

  it("lost requests count until a later one is answered", () => {
    const unanswered: Timed[] = [
      [0, reserve("a")],
      [0, reserve("b")],
      [10, ok("a", 1)],
      [20, lost("b")],
    ];
    expect(decision(unanswered, 1000)).toMatchObject({ reason: "used_up" });
    const early: Timed[] = [...unanswered, [2000, reserve("c")], [2010, ok("c", 1)]];
    expect(decision(early, 3000)).toMatchObject({ reason: "used_up" });
    const late: Timed[] = [...unanswered, [2100, reserve("c")], [2110, ok("c", 1)]];
    expect(decision(late, 3000)).toEqual(go);
  });
});

describe("a wait that the service asked for", () => {
  const told: readonly Timed[] = [
    [0, reserve("a")],
    [100, refused("a", 30_000)],
  ];
  const blocked = (ms: number) => held("blocked", ms, { status: 429 });

  it.each<[string, readonly Timed[], number, string | undefined, object]>([
    ["lasts", told, 1100, undefined, blocked(29_000)],
    ["lasts to its last millisecond", told, 30_099, undefined, blocked(1)],
    ["is over", told, 30_100, undefined, goAsProbe],
    [
      "is over before the reset of the window that is used up: it comes first",
      [...told, [200, reserve("b")], [300, refused("b", 31_000, 0)]],
      31_300,
      undefined,
      goAsProbe,
    ],
    [
      "is over, and the reply to the probe counts",
      [
        [0, reserve("a")],
        [100, refused("a", 2000, 0)],
        [2100, probe("b")],
        [2200, ok("b", 3)],
      ],
      3000,
      undefined,
      go,
    ],
    [
      "of a service that cannot be reached does not change the window",
      [
        [0, reserve("a")],
        [100, { ...refused("a", 2000, 0), status: 503 }],
      ],
      3000,
      undefined,
      held("used_up", 57_100, { limit: 10 }),
    ],
    [
      "a late 200 does not lift it",
      [[0, reserve("b")], ...told, [200, ok("b", 5)]],
      1100,
      undefined,
      blocked(29_000),
    ],
    [
      "a shorter one does not shorten it",
      [[0, reserve("b")], ...told, [200, refused("b", 1000)]],
      1100,
      undefined,
      blocked(29_000),
    ],
    [
      "a longer one makes it longer",
      [[0, reserve("b")], ...told, [200, refused("b", 60_000)]],
      1200,
      undefined,
      blocked(59_000),
    ],
    [
      "is never over 24 h",
      [
        [0, reserve("b")],
        [0, refused("b", 9e9)],
      ],
      0,
      undefined,
      blocked(86_400_000),
    ],
    [
      "one tries when it is over",
      [...told, [30_100, probe("p")]],
      30_200,
      undefined,
      held("probing", 9_900),
    ],
    [
      "the first to ask is the one",
      [...told, [30_100, probe("p")], [30_100, probe("q")]],
      30_200,
      "p",
      goAsProbe,
    ],
    [
      "the second waits",
      [...told, [30_100, probe("p")], [30_100, probe("q")]],
      30_200,
      "q",
      held("probing", 9_900),
    ],
    [
      "the one was not sent",
      [...told, [30_100, probe("p")], [30_150, release("p")]],
      30_200,
      undefined,
      goAsProbe,
    ],
    [
      "nothing came of the one",
      [...told, [30_100, probe("p")], [30_150, lost("p")]],
      30_200,
      undefined,
      goAsProbe,
    ],
    [
      "the one got through",
      [...told, [30_100, probe("p")], [30_150, ok("p", 9)]],
      30_200,
      undefined,
      go,
    ],
    [
      "the one was refused",
      [...told, [30_100, probe("p")], [30_150, refused("p", 5000)]],
      30_200,
      undefined,
      blocked(4950),
    ],
  ])("%s", (_name, events, now, id, expected) => {
    expect(decision(events, now, id)).toEqual(expected);
  });

  it("a probe has 10 s from its last sign of life", () => {
    const long = { kind: "probe", id: "p", pid: 1, lifeMs: 3_600_000 } as const;
    const events: Timed[] = [...told, [30_100, long]];
    expect(decision(events, 40_099)).toEqual(held("probing", 1));
    expect(decision(events, 40_100)).toEqual(goAsProbe);
    const alive: Timed[] = [...events, [33_100, { kind: "alive", id: "p" }]];
    expect(decision(alive, 43_099)).toEqual(held("probing", 1));
    expect(decision(alive, 43_100)).toEqual(goAsProbe);
  });

  it("an exhausted window delays the probe", () => {
    const events: Timed[] = [[0, reserve("a")], [0, ok("a", 0, 40_000)], ...told];
    expect(decision(events, 35_000)).toEqual(held("used_up", 5000, { limit: 10 }));
  });
});

describe("refusals in a row", () => {
  it.each<[string, readonly Timed[], number]>([
    [
      "none",
      [
        [0, reserve("a")],
        [1, ok("a", 3)],
      ],
      0,
    ],
    [
      "one",
      [
        [0, reserve("a")],
        [1, refused("a", 10)],
      ],
      1,
    ],
    [
      "those that were in flight together are one",
      [
        [0, reserve("a")],
        [0, reserve("b")],
        [1, refused("a", 10)],
        [2, refused("b", 10)],
      ],
      1,
    ],
    [
      "one after the other",
      [
        [0, reserve("a")],
        [1, refused("a", 10)],
        [20, probe("b")],
        [21, refused("b", 10)],
      ],
      2,
    ],
    [
      "until one gets through",
      [
        [0, reserve("a")],
        [1, refused("a", 10)],
        [20, probe("b")],
        [21, ok("b")],
      ],
      0,
    ],
  ])("%s", (_name, events, expected) => {
    expect(stateOf(events).strikes).toBe(expected);
  });
});

/** Returns a window of 60 with this many requests left. */
const sixty = (remaining: number, open = 0): Timed[] => [
  [0, reserve("first")],
  ...reserves(open, 10),
  [
    20,
    {
      kind: "reply",
      id: "first",
      status: 200,
      limits: { limit: 60, remaining, reset: 1e12, endsIn: 60_000 },
    },
  ],
];

describe("a bulk run", () => {
  const share = (ms: number) => held("used_up", ms, { limit: 60, reserved: 3 });

  it.each<[string, readonly Timed[], number | undefined, number, object]>([
    ["is another command", sixty(1), undefined, 1000, go],
    ["has more than the share", sixty(4), 100, 1000, go],
    ["has only the share", sixty(3), 100, 1000, share(57_020)],
    ["has only the share besides what is in flight", sixty(8, 5), 100, 1000, share(57_020)],
    ["has rows that all fit", sixty(3), 3, 1000, go],
    ["has one row too many", sixty(3), 4, 1000, share(57_020)],
    ["is near the end of the window", sixty(3), 100, 58_021, go],
    ["has nothing at all", sixty(0), 100, 1000, held("used_up", 59_020, { limit: 60 })],
  ])("that %s", (_name, events, rowsLeft, now, expected) => {
    const state = stateOf(events, now);
    expirePermits(state, now);
    expect(decide(state, now, rowsLeft === undefined ? {} : { rowsLeft })).toEqual(expected);
  });

  it.each<[string, number, number, object]>([
    ["more than it is left", 13, 100, go],
    [
      "only that left, whoever used the rest",
      12,
      100,
      held("used_up", 59_020, { limit: 60, reserved: 12 }),
    ],
    ["less than that left", 5, 100, held("used_up", 59_020, { limit: 60, reserved: 12 })],
    [
      "only that left for the last row",
      12,
      1,
      held("used_up", 59_020, { limit: 60, reserved: 12 }),
    ],
  ])("with a reserve of 20% and %s", (_name, remaining, rowsLeft, expected) => {
    const state = stateOf(sixty(remaining), 1000);
    expect(decide(state, 1000, { rowsLeft, reservePercent: 20 })).toEqual(expected);
  });

  it("with a reserve sends one request at a time until the limits are known", () => {
    const state = stateOf([[0, reserve("first")]], 1000);
    expect(decide(state, 1000, { rowsLeft: 9, reservePercent: 20 })).toMatchObject({
      reason: "learning",
    });
    expect(decide(state, 1000, { waitsForFirstReply: true })).toMatchObject({ reason: "learning" });
    expect(decide(state, 1000, {})).toEqual(go);
  });
});

describe("a permit that is checked again after a back-off", () => {
  const backoffOver: Timed = [0, refused("x", 500)];

  it.each<[string, readonly Timed[], object]>([
    ["the first probe", [[900, probe("own")]], { go: true, probe: true }],
    [
      "a probe behind another",
      [
        [800, probe("a")],
        [900, probe("own")],
      ],
      { go: false, reason: "probing" },
    ],
    ["one that is not a probe", [[900, reserve("own")]], { reason: "probing", ms: 0 }],
    ["one that another process has swept", [], { go: true, probe: true }],
  ])("%s", (_name, events, expected) => {
    const state = stateOf([backoffOver, ...events], 1000);
    expect(recheckPermit(state, 1000, "own")).toMatchObject(expected);
  });
});
