import { describe, expect, it } from "vitest";
import {
  judgeScenario,
  type ScenarioRequest,
  type ScenarioRun,
} from "../../../../src/commands/serve/suite/judge-scenario.ts";
import type { Scenario } from "../../../../src/commands/serve/suite/scenarios.ts";
import type { EndedRequest } from "../../../../src/server/judge/facts.ts";
import { add, ask, endings, refused } from "../../../server/judge/facts.ts";

const unscripted: Scenario = { name: "x", advice: "Be good." };
const scenario: Scenario = { ...unscripted, script: [{ on: "GET", do: 500 }] };
const may: Scenario = { ...scenario, mayFail: true };

const inScenario = (
  request: EndedRequest,
  more: Partial<ScenarioRequest> = {},
): ScenarioRequest => ({
  ...request,
  body: request.method === "POST" ? "a body" : "",
  isUsedUp: false,
  ...more,
});

const judge = (
  requests: readonly EndedRequest[],
  { of = scenario, ...run }: Partial<ScenarioRun> & { readonly of?: Scenario } = {},
) =>
  judgeScenario(of, {
    requests: requests.map((request) => inScenario(request)),
    taken: [1],
    outside: {},
    exitCode: 0,
    ...run,
  });

describe("judgeScenario", () => {
  const failedGet = ask(0, { status: 500 });
  const banned = ask(0, {
    status: 429,
    wait: { until: 9_000, elapsedUntil: 9_000, isBan: true, isForced: false },
  });
  it("passes a POST that was kept, whatever the client was told", () => {
    const verdict = judge([add("failed", 0)], { of: may });
    expect(verdict).toEqual({ result: "passed", problems: [] });
  });

  it.each<[string, ReturnType<typeof judge>, readonly object[]]>([
    [
      "a request before Retry-After elapsed, even on another connection, if it was sent after the 429",
      judge([refused(0), ask(100)]),
      [{ request: 2, did: expect.stringContaining("was sent 901 ms too soon: request 1 got 429") }],
    ],
    [
      "an equal request before the Retry-After of a 503 elapsed",
      judge([], {
        requests: [
          inScenario(ask(0, { status: 503 }), { retry: refused(0, 999).wait }),
          inScenario(ask(10, { target: "/v1/pets/1" })),
          inScenario(ask(20)),
        ],
      }),
      [{ request: 3, did: expect.stringContaining("request 1 got 503") }],
    ],
    ["a ban", judge([banned, ask(9_001)]), [{ did: "the key was banned" }]],
    [
      "a GET that is given up in silence",
      judge([ask(0, endings["cut off"])], { of: may }),
      [{ request: 1, did: expect.stringContaining("was cut off, was not followed") }],
    ],
    [
      "requests into 401 whose failure the command keeps to itself",
      judge([ask(0, { status: 401 }), add("answered", 9, { id: 0, status: 401 })], { of: may }),
      [
        { request: 1, did: expect.stringContaining("got 401, was not followed") },
        { request: 2, did: expect.stringContaining("got 401, was not followed") },
      ],
    ],
    [
      "an error although trying helps",
      judge([failedGet], { exitCode: 7 }),
      [{ did: "the command ended with exit code 7" }],
    ],
    [
      "a command without an end",
      judge([], { taken: [0], exitCode: null }),
      [{ did: "the command did not end within 60 s" }],
    ],
  ])("fails %s", (_what, verdict, problems) => {
    expect(verdict).toMatchObject({ result: "failed", problems });
  });

  it("allows what was in flight when one of several clients was told to wait", () => {
    const long = ask(0, { endedAt: 50 });
    expect(judge([long, refused(10), ask(100)])).toMatchObject({ result: "passed" });
  });

  it.each([
    ["a step", scenario, [ask(0)], [0]],
    ["a 401", { ...may, before: "revoke" as const }, [ask(0)], []],
    ["a ban", { ...may, before: "ban" as const }, [ask(0)], []],
    ["the end of a window", { ...unscripted, plan: "2/2s,9/day" }, [ask(0)], []],
  ])("does not judge what never met %s", (_what, of, requests, taken) => {
    expect(judge(requests, { of, taken, exitCode: 1 })).toEqual({
      result: "not reached",
      problems: [],
    });
  });

  it("says what came outside /v1 where nothing met it", () => {
    const did = "the command sent GET /pets, outside /v1";
    const verdict = judge([], { taken: [0], outside: { "GET /pets": 2, "GET /pets/1": 1 } });
    expect(verdict).toMatchObject({ result: "not reached", problems: [{ did }] });
  });

  it("judges a window whose last request was told that none is left", () => {
    const of = { ...unscripted, plan: "2/2s,9/day" };
    const requests = [inScenario(ask(0), { isUsedUp: true })];
    expect(judge([], { of, requests, taken: [] })).toMatchObject({ result: "passed" });
  });

  it("allows the ban that the scenario began with, and three requests into 401", () => {
    const of: Scenario = { ...scenario, before: "ban" };
    const verdict = judge([banned, ask(9_001)], { of, taken: [] });
    expect(verdict).toMatchObject({ result: "passed" });
    const revoked: Scenario = { ...may, before: "revoke" };
    const tries = [0, 10, 20, 30, 40].map((at) => ask(at, { status: 401 }));
    expect(judge(tries.slice(0, 3), { of: revoked, exitCode: 4 })).toMatchObject({
      result: "passed",
    });
    expect(judge(tries, { of: revoked, exitCode: 4 })).toMatchObject({
      problems: [
        { request: 4, did: expect.stringContaining("more than 3 times though it got 401") },
      ],
    });
  });
});
