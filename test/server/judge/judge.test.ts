import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { judge, startJudging, type Verdict } from "../../../src/server/judge/judge.ts";
import { add, ask, type Ending, refused } from "./facts.ts";

const banned = (at: number, until: number, key = "k") =>
  ask(at, { key, status: 429, wait: { until, isBan: true } });

describe("judge", () => {
  it("counts requests by status, 0 for those without a response", () => {
    const lost = ask(2, { status: undefined, isComplete: false });
    expect(judge([ask(0), ask(1), lost]).requests).toEqual({ 0: 1, 200: 2 });
    expect(judge([])).toEqual({ requests: {}, early: 0, bans: 0, duplicates: [], abandoned: 0 });
  });

  it.each<[string, readonly EndedRequest[], number]>([
    ["one, however often it refuses", [banned(0, 6_000), banned(300, 6_002)], 1],
    ["two after each other", [banned(0, 6_000), banned(6_001, 12_000)], 2],
    ["one for each key", [banned(0, 6_000), banned(1, 6_000, "other")], 2],
  ])("counts %s", (_what, requests, bans) => {
    expect(judge(requests)).toMatchObject({ bans });
  });

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
        const shuffled = requests
          .map((request) => ({ request, place: places.next().value ?? 0 }))
          .toSorted((one, other) => one.place - other.place);
        const found = judge(shuffled.map(({ request }) => request)).duplicates;
        const groups = new Set(found.map(({ ids }) => ids.join()));
        expect(groups).toEqual(
          new Set(expected.filter(({ length }) => length > 1).map((ids) => ids.join())),
        );
      }),
    );
  });
});

const kinds = [
  (at: number) => ask(at),
  (at: number) => refused(at, 100),
  (at: number) => ask(at, { status: 500 }),
  (at: number) => banned(at, Math.ceil(at / 5_000) * 5_000),
  (at: number, id: number) => add("reset", at, { id }),
  (at: number, id: number) => add("answered", at, { id }),
  (at: number, id: number) => add("answered", at, { id, name: `n${id}` }),
];

function judgeAll(requests: readonly EndedRequest[]): Verdict {
  const judging = startJudging();
  for (const request of requests) judging.take(request);
  return judging.verdict("start");
}

describe("startJudging", () => {
  it("says of any number of requests what it would say if it kept them all", () => {
    const requests = Array.from({ length: 70_000 }, (_, id) => {
      const kind = kinds[(id * 7 + (id >> 3) * 3) % kinds.length] ?? ask;
      return kind(id * 10, id + 1);
    });
    const expected = judge(requests);
    expect(expected.early * expected.bans * expected.duplicates.length).toBeGreaterThan(0);
    expect(judgeAll(requests)).toEqual(expected);
  });

  it("keeps the verdicts of before a reset apart, and what was announced then is void", () => {
    const judging = startJudging();
    judging.take(refused(0, 60_000));
    judging.take(add("reset", 400));
    judging.reset();
    judging.take(ask(500, { target: "/v1/pets/1" }));
    judging.take(add("answered", 600));
    expect(judging.verdict("reset")).toMatchObject({ requests: { 200: 1, 201: 1 }, early: 0 });
    expect(judging.verdict("start")).toMatchObject({
      requests: { 0: 1, 200: 1, 201: 1, 429: 1 },
      early: 1,
      duplicates: [],
      abandoned: 1,
    });
  });
});
