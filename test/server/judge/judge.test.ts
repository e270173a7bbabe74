import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { startJudging } from "../../../src/server/judge/judge.ts";
import { arrivalOf, add, ask, type Ending, refused } from "./facts.ts";

const banned = (at: number, until: number, key = "k", elapsedUntil = until) =>
  ask(at, { key, status: 429, wait: { until, elapsedUntil, isBan: true, isForced: false } });

/** Returns the counts of these requests. */
function countsOf(...requests: readonly EndedRequest[]) {
  const judge = startJudging();
  for (const request of requests) judge.take(request);
  return judge.counts();
}

describe("counts", () => {
  it("are by status, 0 for those without a response", () => {
    const lost = ask(2, { status: undefined, isComplete: false });
    expect(countsOf(ask(0), ask(1, { isEarly: true }), lost)).toEqual({
      requests: { 0: 1, 200: 2 },
      early: 1,
      bans: 0,
    });
    expect(countsOf()).toEqual({ requests: {}, early: 0, bans: 0 });
  });

  it.each<[string, readonly EndedRequest[], number]>([
    ["one ban, however often it refuses", [banned(0, 6_000), banned(300, 6_002)], 1],
    ["two, the second of which is seen first", [banned(9, 12_000), banned(0, 6_000)], 2],
    ["two bans of 5 s, 10 s apart", [banned(0, 5_000), banned(10_000, 15_000)], 2],
    ["one ban for each key", [banned(0, 6_000), banned(1, 6_000, "other")], 2],
    ["no ban for a wait", [refused(0)], 0],
  ])("have %s", (_what, requests, bans) => {
    expect(countsOf(...requests)).toMatchObject({ bans });
  });
});

describe("a verdict", () => {
  const anyEnding = fc.constantFrom<Ending>("answered", "reset", "cut off", "failed", "left");
  /** For each animal, how each POST ended, and whether the animal was kept. */
  const anyTries = fc.array(fc.array(fc.tuple(anyEnding, fc.boolean()), { maxLength: 4 }));

  it("names every id of an animal that is sent until it is answered, in whatever order requests end", () => {
    fc.assert(
      fc.property(anyTries, fc.infiniteStream(fc.nat()), (animals, places) => {
        let id = 0;
        let at = 0;
        const requests: EndedRequest[] = [];
        const expected = animals.map((tries, animal) => {
          const ids: bigint[] = [];
          // Nothing is sent after a response.
          const lost = tries.filter(([ending]) => ending !== "answered");
          for (const [ending, isKept] of [...lost, ["answered", true] as const]) {
            const isAdded = isKept || ending === "answered" || ending === "cut off";
            if (isAdded) ids.push(BigInt((id += 1)));
            at += 100;
            requests.push(add(ending, at, { id: isAdded ? id : 0, name: `n${animal}` }));
          }
          return ids;
        });
        const judge = startJudging();
        const shuffled = requests
          .map((request) => ({ request, place: places.next().value ?? 0 }))
          .toSorted((one, other) => one.place - other.place);
        for (const { request } of shuffled) judge.take(request);
        const found = judge.verdict("start").duplicates;
        const groups = new Set(found.map(({ ids }) => ids.join()));
        expect(groups).toEqual(
          new Set(expected.filter(({ length }) => length > 1).map((ids) => ids.join())),
        );
      }),
    );
  });
});

describe("startJudging", () => {
  it("compares the last 200,000 requests, and counts all", () => {
    const judge = startJudging();
    for (let at = 0; at < 230_000; at += 1)
      judge.take(ask(at, { status: 500, target: `/v1/pets/${at}` }));
    const { requests, abandoned } = judge.verdict("start");
    expect(requests).toEqual({ 500: 230_000 });
    expect(abandoned).toBeGreaterThanOrEqual(200_000);
    expect(abandoned).toBeLessThanOrEqual(220_000);
  });

  it("compares nothing if nobody asks for that", () => {
    const judge = startJudging(false);
    judge.take(ask(0, { status: 500 }));
    expect(judge.verdict("start")).toMatchObject({ requests: { 500: 1 }, abandoned: 0 });
  });

  it("keeps the verdicts of before a reset apart, and what was announced then is void", () => {
    const judge = startJudging();
    judge.take(refused(0, 60_000));
    const later = ask(400);
    expect(judge.waits.check(...arrivalOf(later)).isEarly).toBe(true);
    judge.take(add("reset", 400, { isEarly: true }));
    judge.reset();
    expect(judge.waits.check(...arrivalOf(later)).isEarly).toBe(false);
    judge.take(ask(500, { target: "/v1/pets/1" }));
    judge.take(add("answered", 600));
    expect(judge.verdict("reset")).toMatchObject({ requests: { 200: 1, 201: 1 }, early: 0 });
    expect(judge.verdict("start")).toMatchObject({
      requests: { 0: 1, 200: 1, 201: 1, 429: 1 },
      early: 1,
      duplicates: [],
      abandoned: 1,
    });
  });
});
