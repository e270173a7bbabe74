import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isRude,
  type RequestEnd,
  startJudging,
  type StoreEvent,
  type Verdict,
} from "../../../src/server/judge/judge.ts";

function judge(events: readonly StoreEvent[]): Verdict {
  const { take, verdict } = startJudging();
  for (const event of events) take(event);
  return verdict();
}

/** Returns a request that is answered in 1 ms. */
function ask(arrivedAt: number, facts: Partial<RequestEnd> = {}): readonly StoreEvent[] {
  const key = facts.key ?? "k";
  const end: RequestEnd = {
    type: "end",
    key,
    method: "GET",
    target: "/v1/pets",
    arrivedAt,
    endedAt: arrivedAt + 1,
    status: 200,
    isComplete: true,
    ...facts,
  };
  return [{ type: "arrival", key, at: arrivedAt }, end];
}

const refused = (at: number, seconds = 1, facts: Partial<RequestEnd> = {}) =>
  ask(at, { status: 429, wait: { seconds, isBan: false }, ...facts });

/** How a POST that added an animal ends. */
const endings = {
  answered: { status: 201, isComplete: true },
  reset: { status: undefined, isComplete: false },
  "cut off": { status: 201, isComplete: false },
  failed: { status: 500, isComplete: true },
  "left alone": { status: undefined, isComplete: false },
} as const;
type Ending = keyof typeof endings;

interface Add {
  readonly at?: number;
  readonly id?: number;
  readonly name?: string;
  readonly key?: string;
  readonly endedAt?: number;
}

/** Returns a POST that adds the animal `id`, or nothing for id 0. */
function add(ending: Ending, { at = 0, id = 1, name = "Rex", key = "k", endedAt }: Add = {}) {
  const added = id === 0 ? undefined : { id: BigInt(id), name, content: name };
  const facts = { key, method: "POST", added, ...endings[ending] };
  return ask(at, { ...facts, endedAt: endedAt ?? at + 1 });
}

describe("early requests", () => {
  it.each<[string, readonly StoreEvent[], number]>([
    ["none without a 429", [...ask(0), ...ask(1)], 0],
    ["one inside a Retry-After", [...refused(0), ...ask(500)], 1],
    ["each of those inside", [...refused(0), ...ask(500), ...refused(600), ...ask(700)], 3],
    ["none that was on its way", [...refused(0), ...ask(251)], 0],
    ["one that was sent after the grace", [...refused(0), ...ask(252)], 1],
    ["none after the wait", [...refused(0), ...ask(1_001)], 0],
    ["none of a timer that fires a ms too soon", [...refused(0), ...ask(999)], 0],
    ["none of another key", [...refused(0), ...ask(500, { key: "other" })], 0],
    ["none if the 429 did not arrive", [...refused(0, 1, { isComplete: false }), ...ask(500)], 0],
    ["one inside the longer of two waits", [...refused(0, 5), ...refused(10), ...ask(2_000)], 1],
    ["none on its way at a second wait", [...refused(0), ...refused(1_001), ...ask(1_200)], 0],
    ["none after a reset", [...refused(0, 60), { type: "reset" }, ...ask(500)], 0],
    [
      "one that ends after the wait",
      [...refused(0), ...ask(500, { endedAt: 3_000 }), ...ask(3_001)],
      1,
    ],
  ])("%s", (_what, events, early) => {
    expect(judge(events)).toMatchObject({ early, bans: 0 });
  });
});

const banned = (at: number, key = "k") =>
  ask(at, { key, status: 429, wait: { seconds: 600, isBan: true } });

describe("bans", () => {
  it.each<[string, readonly StoreEvent[], number]>([
    ["one, however often it is met", [...banned(0), ...banned(300), ...banned(599_000)], 1],
    ["another after its end", [...banned(0), ...banned(600_002)], 2],
    ["one for each key", [...banned(0), ...banned(1, "other")], 2],
    ["another after a reset", [...banned(0), { type: "reset" }, ...banned(300)], 2],
  ])("%s", (_what, events, bans) => {
    expect(judge(events)).toMatchObject({ bans });
  });
});

describe("animals added twice", () => {
  const [first, second, third] = [{ at: 0 }, { at: 10, id: 2 }, { at: 20, id: 3 }];
  it.each<[string, readonly StoreEvent[], readonly (readonly number[])[]]>([
    ["none if the first was answered", [...add("answered"), ...add("answered", second)], []],
    ["after a reset", [...add("reset"), ...add("answered", second)], [[1, 2]]],
    ["after a reply that was cut off", [...add("cut off"), ...add("answered", second)], [[1, 2]]],
    ["after a 5xx", [...add("failed"), ...add("answered", second)], [[1, 2]]],
    ["after a client that left", [...add("left alone"), ...add("answered", second)], [[1, 2]]],
    [
      "none if the first was not kept",
      [...add("failed", { id: 0 }), ...add("answered", second)],
      [],
    ],
    [
      "none if the second was not kept",
      [...add("failed"), ...add("failed", { at: 10, id: 0 })],
      [],
    ],
    [
      "a later one, if the second was not kept",
      [...add("failed"), ...add("failed", { at: 10, id: 0 }), ...add("answered", third)],
      [[1, 3]],
    ],
    [
      "one loss explains one: the next equal animal is another one",
      [...add("reset", first), ...add("answered", second), ...add("answered", third)],
      [[1, 2]],
    ],
    [
      "one that is lost again, with all its ids",
      [...add("reset", first), ...add("reset", second), ...add("answered", third)],
      [[1, 2, 3]],
    ],
    [
      "two losses explain two",
      [
        ...add("reset", { endedAt: 50 }),
        ...add("reset", { at: 10, id: 2, endedAt: 60 }),
        ...add("answered", { at: 70, id: 3 }),
        ...add("answered", { at: 80, id: 4 }),
      ],
      [
        [1, 3],
        [2, 4],
      ],
    ],
    [
      "none that was sent before the first was lost",
      [...add("left alone", { endedAt: 500 }), ...add("answered", second)],
      [],
    ],
    ["none of another key", [...add("reset"), ...add("answered", { ...second, key: "x" })], []],
    ["none of another animal", [...add("reset"), ...add("answered", { ...second, name: "x" })], []],
    [
      "none after a reset of the store",
      [...add("reset"), { type: "reset" }, ...add("answered", second)],
      [],
    ],
  ])("%s", (_what, events, ids) => {
    const expected = ids.map((group) => ({ name: "Rex", ids: group.map(BigInt) }));
    expect(judge(events).duplicates).toEqual(expected);
  });
});

describe("GETs that were abandoned", () => {
  const failed = { status: 500 };
  it.each<[string, readonly StoreEvent[], number]>([
    ["one that failed", ask(0, failed), 1],
    ["one without a reply", ask(0, { status: undefined, isComplete: false }), 1],
    ["one that was cut off", ask(0, { isComplete: false }), 1],
    ["one that was refused", refused(0), 1],
    ["none that was tried again", [...ask(0, failed), ...ask(10)], 0],
    ["none that was tried again in vain", [...ask(0, failed), ...ask(10, failed)], 0],
    ["one that failed later on", [...ask(0), ...ask(10, failed)], 1],
    [
      "one of two",
      [...ask(0, { ...failed, endedAt: 50 }), ...ask(10, { ...failed, endedAt: 60 }), ...ask(70)],
      1,
    ],
    ["one, if another path was tried", [...ask(0, failed), ...ask(9, { target: "/v1/pets/1" })], 1],
    ["one, if another key tried", [...ask(0, failed), ...ask(9, { key: "x" })], 1],
    ["no POST", ask(0, { ...failed, method: "POST" }), 0],
    ["no 404", ask(0, { status: 404 }), 0],
  ])("%s", (_what, events, abandoned) => {
    expect(judge(events)).toMatchObject({ abandoned });
  });
});

const requestOf = (kind: number, place: number, key: string): readonly StoreEvent[] => {
  const at = place * 100;
  if (kind === 0) return ask(at, { key });
  if (kind === 1) return refused(at, 1, { key });
  return add(kind === 2 ? "reset" : "answered", { at, id: place + 1, key });
};

describe("the verdict", () => {
  it("counts requests by status, 0 for those without a reply", () => {
    const events = [...ask(0), ...ask(1), ...ask(2, { status: undefined, isComplete: false })];
    expect(judge(events).requests).toEqual({ 0: 1, 200: 2 });
    expect(judge([]).requests).toEqual({});
  });

  it("is no worse for an abandoned GET", () => {
    expect(isRude(judge(ask(0, { status: 500 })))).toBe(false);
    expect(isRude(judge([...refused(0), ...ask(500)]))).toBe(true);
  });

  const anyEnding = fc.constantFrom<Ending>("answered", "reset", "cut off", "failed", "left alone");
  /** For each animal, how each POST ended, and whether the animal was kept. */
  const anyTries = fc.array(fc.array(fc.tuple(anyEnding, fc.boolean()), { maxLength: 4 }));

  it("names every id of an animal that is sent until it is answered, and of no other", () => {
    fc.assert(
      fc.property(anyTries, (animals) => {
        let id = 0;
        let at = 0;
        const events: StoreEvent[] = [];
        const kept = animals.map((tries, animal) => {
          const ids: bigint[] = [];
          // Nothing is sent after a reply.
          const lost = tries.filter(([ending]) => ending !== "answered");
          for (const [ending, isKept] of [...lost, ["answered", true] as const]) {
            const isAdded = isKept || ending === "answered" || ending === "cut off";
            if (isAdded) ids.push(BigInt((id += 1)));
            at += 10;
            events.push(...add(ending, { at, id: isAdded ? id : 0, name: `n${animal}` }));
          }
          return ids;
        });
        expect(judge(events).duplicates.map(({ ids }) => ids)).toEqual(
          kept.filter(({ length }) => length > 1),
        );
      }),
    );
  });

  it("is that of each key, however their requests interleave", () => {
    const anyRequests = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3 })));
    fc.assert(
      fc.property(anyRequests, (requests) => {
        const all = requests.map(([isMine, kind], place) => ({
          isMine,
          events: requestOf(kind, place, isMine ? "mine" : "yours"),
        }));
        const only = (isMine: boolean): Verdict =>
          judge(all.filter((one) => one.isMine === isMine).flatMap(({ events }) => events));
        const both = judge(all.flatMap(({ events }) => events));
        const parts = [only(true), only(false)];
        const sum = (count: (verdict: Verdict) => number): number =>
          parts.reduce((total, part) => total + count(part), 0);
        expect(both.early).toBe(sum(({ early }) => early));
        expect(both.abandoned).toBe(sum(({ abandoned }) => abandoned));
        expect(both.duplicates).toHaveLength(sum(({ duplicates }) => duplicates.length));
      }),
    );
  });
});
