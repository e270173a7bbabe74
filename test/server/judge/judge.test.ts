import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EndedRequest } from "../../../src/server/judge/facts.ts";
import { startJudging } from "../../../src/server/judge/judge.ts";
import { endedRequest, sentOf } from "../../support/servers/exchange.ts";
import { startFaultyStore } from "../../support/servers/faulty-store.ts";
import { sendRaw } from "../../support/servers/raw.ts";
import { head } from "../../support/servers/wire.ts";
import { add, arrivalOf, ask, type Ending, refused } from "./facts.ts";

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

/** Returns the verdict on one request that got a 404. */
function verdictOn(described: Parameters<typeof endedRequest>[0]) {
  const judge = startJudging();
  judge.takeEnded(endedRequest({ sent: sentOf(404), ...described }));
  return judge.verdict("reset");
}

describe("what clients send besides", () => {
  it.each<[string, Parameters<typeof endedRequest>[0], object]>([
    ["a path without /v1", { target: "/pets?limit=1" }, { "GET /pets": 1 }],
    ["two slashes", { method: "POST", target: "//v1/pets" }, { "POST //v1/pets": 1 }],
    ["a page that is not there", { target: "/" }, { "GET /": 1 }],
    ["a long path", { target: `/${"x".repeat(300)}` }, { [`GET /${"x".repeat(194)}…`]: 1 }],
    ["what browsers ask for", { target: "/favicon.ico" }, {}],
    ["what their tools ask for", { target: "/.well-known/appspecific/x.json" }, {}],
    ["the store's own paths", { target: "/_store/other" }, {}],
    ["paths where something is", { target: "/healthz", sent: sentOf(200) }, {}],
    ["the page's requests", { target: "/other", isPage: true }, {}],
    ["paths below /v1", { target: "/v1/other" }, {}],
  ])("outside /v1: %s", (_what, described, outside) => {
    expect(verdictOn(described).outside).toEqual(outside);
  });

  it.each([
    ["GET", "/v1/pets?limit=1&status=sold", []],
    ["HEAD", "/v1/pets?limit=1", []],
    ["GET", "/v1/pets?page=2&page=3&limit=1", ["page"]],
    ["GET", "/v1/pets?status%5B%5D=sold&stauts", ["status[]", "stauts"]],
    ["GET", "/v1/pets/1?status=sold", ["status"]],
    ["POST", "/v1/pets?status=sold", ["status"]],
    ["OPTIONS", "/v1/pets?page=2", []],
    ["GET", "/v1/pets?=1&", [""]],
    ["GET", "/healthz?page=2", []],
  ])("parameters of %s %s", (method, target, names) => {
    const { parameters } = verdictOn({ method, target });
    expect(parameters).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
  });

  it("is forgotten by a reset, but not in the verdict since the start", () => {
    const judge = startJudging();
    const takeAll = () => {
      judge.takeEnded(endedRequest({ target: "/pets", sent: sentOf(404) }));
      judge.takeEnded(endedRequest({ target: "/v1/pets?page=2" }));
      for (const status of [400, 431, 408]) judge.takeMalformed(status);
    };
    takeAll();
    judge.reset();
    expect(judge.verdict("reset")).toMatchObject({ outside: {}, parameters: {}, malformed: {} });
    takeAll();
    expect(judge.verdict("start")).toMatchObject({
      outside: { "GET /pets": 2 },
      parameters: { page: 2 },
      malformed: { 400: 2, 431: 2 },
    });
  });

  it("is known to a store, regardless of whether it compares requests", async () => {
    const store = await startFaultyStore();
    for (const junk of [
      "junk\r\n\r\n",
      `GET /v1/pets HTTP/1.1\r\nx: ${"x".repeat(80_000)}\r\n\r\n`,
    ])
      await sendRaw(store.port, [junk]);
    await sendRaw(store.port, [head(store, "GET /pets")]);
    const told = { requests: {}, outside: { "GET /pets": 1 }, malformed: { 400: 1, 431: 1 } };
    await expect.poll(() => store.verdict("start")).toMatchObject(told);
  });
});

describe("startJudging", () => {
  it("compares long texts exactly, and reports their start", () => {
    const judge = startJudging();
    const long = "n".repeat(60_000);
    const post = { method: "POST", sent: sentOf(500), key: long };
    for (const [at, end] of ["a", "b", "b"].entries()) {
      const added = { id: BigInt(at), pet: { name: long + end, categoryId: 1n } };
      judge.takeEnded(endedRequest({ ...post, at: { real: at }, added }));
      const target = `/v1/pets?${long}${end}`;
      const sent = sentOf(at < 2 ? 500 : 200);
      judge.takeEnded(endedRequest({ target, sent, at: { real: 9 + at }, endedAt: 10 + at }));
    }
    const { duplicates, abandoned } = judge.verdict("start");
    expect(duplicates).toEqual([{ name: `${"n".repeat(199)}…`, ids: [1n, 2n] }]);
    expect(abandoned).toBe(1);
  });

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
