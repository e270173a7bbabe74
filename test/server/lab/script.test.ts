import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { makeScript, parseScript } from "../../../src/server/lab/script.ts";
import {
  askFaulty,
  namesIn,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../support/servers/faulty-store.ts";

const lines = (...steps: readonly object[]) => steps.map((step) => JSON.stringify(step)).join("\n");
const scriptOf = (...steps: readonly object[]) =>
  makeScript(parseScript(lines(...steps)), () => 1_500);
const get = { method: "GET", path: "/v1/pets", key: 0 };

describe("makeScript", () => {
  it("gives a request the first step that is for it and not used up", () => {
    const script = scriptOf(
      { on: "POST /pets", do: "reset" },
      { on: "GET /pets", do: 429, times: 2 },
      { on: "*", do: "ok" },
    );
    const names = Array.from({ length: 4 }, () => script.take(get)?.name);
    expect(names).toEqual(["step 2", "step 2", "step 3", undefined]);
    expect(script.take({ ...get, method: "POST" })?.name).toBe("step 1");
    expect(script.steps().map(({ taken }) => taken)).toEqual([1, 2, 1]);
    script.restart();
    expect(script.take(get)?.name).toBe("step 2");
  });

  it("gives each request at most one step, and each step to as many requests as it says", () => {
    const on = constantFrom("*", "GET", "POST", "GET /pets", "POST /pets", "GET /pets/*");
    const step = record({
      on,
      do: constantFrom("ok", "reset", 503),
      times: integer({ min: 1, max: 4 }),
    });
    const request = record({
      method: constantFrom("GET", "POST"),
      path: constantFrom("/v1/pets", "/v1/pets/1"),
      key: constantFrom(0, 1),
    });
    assert(
      property(array(step, { minLength: 1, maxLength: 8 }), array(request), (steps, requests) => {
        const script = scriptOf(...steps);
        const taken = requests.map((each) => script.take(each)?.name);
        for (const [at, { times }] of steps.entries()) {
          const count = taken.filter((name) => name === `step ${at + 1}`).length;
          expect(count).toBeLessThanOrEqual(times);
          expect(script.steps()[at]?.taken).toBe(count);
        }
        // A request without a step found none that was left for it.
        const left = script.steps().filter(({ taken: count, times }) => count < Number(times));
        const missed = requests.filter(
          (each, at) =>
            taken[at] === undefined &&
            left.some(({ on: whom }) => scriptOf({ on: whom, do: "ok" }).take(each) !== undefined),
        );
        expect(missed).toEqual([]);
      }),
    );
  });

  it.each([
    [{ retryAfter: 3 }, "3"],
    [{ retryAfter: "date" }, "Thu, 01 Jan 1970 00:00:03 GMT"],
    [{ retryAfter: "date+5s" }, "Thu, 01 Jan 1970 00:00:06 GMT"],
    [{ retryAfter: "soon" }, "soon"],
    [{ retryAfter: 4_294_967_296 }, "4294967296"],
    [{ retryAfter: "date+99999999999999s" }, "date+99999999999999s"],
    [{}, undefined],
  ])("announces a wait as %j says", (more, text) => {
    const fault = scriptOf({ on: "*", do: 429, ...more }).take(get);
    expect(fault?.response?.headers?.["Retry-After"]).toBe(text);
  });

  it.each([
    ["*", "GET", "/v1/pets", true],
    ["*", "POST", "/v1/nothing", true],
    ["GET", "GET", "/v1/pets/1", true],
    ["GET", "HEAD", "/v1/pets", false],
    ["POST /pets", "POST", "/v1/pets", true],
    ["POST /pets", "POST", "/v1/pets/", false],
    ["GET /pets/*", "GET", "/v1/pets/7", true],
    ["GET /pets/*", "GET", "/v1/pets/", false],
    ["GET /pets/*", "GET", "/v1/pets/7/8", false],
    ["GET /pets/(.*)+", "GET", "/v1/pets/7", false],
    ["GET /v1/pets/*", "GET", "/v1/pets/7", true],
    ["GET /v1", "GET", "/v1", true],
    ["GET /v1x/pets", "GET", "/v1/pets", false],
  ])("matches %s with %s %s: %s", (on, method, path, expected) => {
    expect(scriptOf({ on, do: "ok" }).take({ method, path, key: 0 }) !== undefined).toBe(expected);
  });
});

const only = (step: object) => parseScript(JSON.stringify(step))[0];
const faultOf = (step: object) => only(step)?.fault(1_500);

describe("parseScript", () => {
  it("reads a step a line, and leaves empty lines out", () => {
    const text =
      '{"on":"POST /pets","do":"reset","kept":true}\n\n{"on":"*","do":"ok","times":3}\r\n';
    const steps = parseScript(text);
    expect(steps).toMatchObject([{ times: 1, source: { on: "POST /pets" } }, { times: 3 }]);
    expect(steps.map(({ fault }) => fault(0))).toMatchObject([
      { wire: "reset", isKept: true },
      { wire: undefined, isKept: true },
    ]);
    expect(steps[1]?.fault(0)).not.toHaveProperty("response");
    expect(parseScript("off")).toEqual([]);
    const quoted = String.raw`{"on":"*","do":503,"retryAfter":"\"do\": \\"}`;
    expect(parseScript(quoted)).toMatchObject([{ source: { retryAfter: '"do": \\' } }]);
  });

  it.each([
    ...["ok", "slow", "close", "interim", "truncate"].map((action) => [action, true] as const),
    ...["reset", "hang", 429, 500, 502, 503, 504].map((action) => [action, false] as const),
  ])("keeps the animal with %s unless told otherwise: %s", (action, isKept) => {
    expect(faultOf({ on: "*", do: action })).toMatchObject({ isKept });
    expect(faultOf({ on: "*", do: action, kept: !isKept })).toMatchObject({ isKept: !isKept });
  });

  it.each([
    [{ do: "slow", over: "3s" }, { overMs: 3_000 }],
    [{ do: "ok", delay: "500ms" }, { delayMs: 500 }],
  ])("reads %j", (step, expected) => {
    expect(faultOf({ on: "*", ...step })).toMatchObject(expected);
  });

  it("picks the requests of one key", () => {
    const step = only({ on: "*", do: "ok", key: 2 });
    const request = { method: "GET", path: "/v1/pets" };
    expect([0, 1, undefined].map((key) => step?.matches({ ...request, key }))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    ["", "the script has no steps"],
    ["{", "line 1: not valid JSON"],
    ["[]", "line 1: a step is a JSON object"],
    ['{"on":"*","do":"ok"}\n\n{"do":"ok"}', "line 3: on must be"],
    ['{"on":"GET pets","do":"ok"}', "on must be"],
    ['{"on":"get /pets","do":"ok"}', "on must be"],
    ['{"on":"GET /pets?limit=1","do":"ok"}', "without query"],
    ['{"on":"* /pets","do":"ok"}', "on must be"],
    ['{"on":"*"}', 'do must be "ok", 429,'],
    ['{"on":"*","do":418}', "not 418"],
    ['{"on":"*","do":"explode"}', 'not "explode"'],
    ['{"on":"*","do":"ok","time":2}', 'unknown field "time"'],
    ['{"on":"*","do":"ok","do":503}', "line 1: do is given twice"],
    ['{"on":"*","do":503,"body":"html","\\u006fn":"GET"}', "line 1: on is given twice"],
    ['{"on":"*","do":"ok","times":0}', "times must be an integer from 1, not 0"],
    ['{"on":"*","do":"ok","times":1.5}', "times must be"],
    ['{"on":"*","do":"reset","kept":"yes"}', "kept must be true or false"],
    ['{"on":"*","do":"ok","key":0}', "key must be"],
    ['{"on":"*","do":"ok","delay":"soon"}', "delay must be a duration"],
    ['{"on":"*","do":"ok","delay":2}', "delay must be a duration"],
    ['{"on":"*","do":"slow","over":"2h"}', "over must be a duration"],
    ['{"on":"*","do":"ok","over":"2s"}', "over only goes with"],
    ['{"on":"*","do":"ok","retryAfter":2}', "retryAfter only goes with a status"],
    ['{"on":"*","do":"reset","body":"html"}', "body only goes with a status"],
    ['{"on":"*","do":503,"body":"text"}', 'body must be "html"'],
    ['{"on":"*","do":503,"retryAfter":-1}', "retryAfter must be a number of seconds"],
    ['{"on":"*","do":503,"retryAfter":"a\\r\\nX: 1"}', "retryAfter must be"],
    ['{"on":"*","do":503,"retryAfter":null}', "retryAfter must be"],
    ['{"on":"*","do":"ok"}\n'.repeat(1_001), "more than 1000 steps"],
  ])("refuses %j, and says why", (text, message) => {
    expect(() => parseScript(text)).toThrow(message);
  });
});

describe("a scripted store", () => {
  it.each([
    [{ do: 503, retryAfter: 2 }, 503, { "retry-after": "2", "x-ratelimit-limit": "9" }, false],
    [{ do: 429 }, 429, { "x-ratelimit-remaining": "9" }, false],
    [{ do: 500, kept: true }, 500, {}, true],
    [{ do: 502, body: "html" }, 502, { "content-type": "text/html; charset=utf-8" }, false],
    [{ do: "reset" }, 0, {}, false],
    [{ do: "reset", kept: true }, 0, {}, true],
    [{ do: "hang", kept: true }, 0, {}, true],
    [{ do: "truncate" }, 201, {}, true],
    [{ do: "truncate", kept: false }, 201, {}, false],
    [{ do: "slow", over: "50ms" }, 201, {}, true],
    [{ do: "close" }, 201, {}, true],
    [{ do: "ok", delay: "20ms" }, 201, {}, true],
  ])("does %j: %i", async (step, status, headers, isKept) => {
    const script = lines({ on: "POST /pets", ...step });
    const store = await startFaultyStore({ plan: "9/min,99/day", script });
    const how = { body: petBody(), patienceMs: step.do === "hang" ? 1_500 : 60_000 };
    const outcome = await askFaulty(store, "POST /v1/pets", how);
    expect(outcome).toMatchObject({ status, headers });
    expect(outcome.headers["retry-after"]).toBe("retryAfter" in step ? "2" : undefined);
    expect(await namesIn(store)).toEqual(isKept ? ["Rex"] : []);
    const entries = async (): Promise<unknown> =>
      JSON.parse((await askFaulty(store, "GET /_store/requests")).body);
    const entry = expect.objectContaining({ method: "POST", fault: "step 1" });
    await expect.poll(entries).toContainEqual(entry);
  });

  it("sends an interim response before the other", async () => {
    const store = await startFaultyStore({ script: lines({ on: "*", do: "interim" }) });
    expect((await askFaulty(store, "GET /v1/pets")).status).toBe(103);
  });

  it("gives each step to exactly one of many requests side by side, and again after a reset", async () => {
    const script = lines({ on: "GET /pets", do: 503, times: 5 }, { on: "GET", do: 502, times: 7 });
    const store = await startFaultyStore({ script });
    const statuses = async () => {
      const all = Array.from({ length: 16 }, () => askFaulty(store, "GET /v1/pets"));
      return (await Promise.all(all))
        .map(({ status }) => status)
        .toSorted((one, other) => one - other);
    };
    const expected = [...Array(4).fill(200), ...Array(7).fill(502), ...Array(5).fill(503)];
    expect(await statuses()).toEqual(expected);
    expect(await statuses()).toEqual(Array(16).fill(200));
    await askFaulty(store, "POST /_store/reset");
    expect(await statuses()).toEqual(expected);
  });

  it("lets the header decide before the script, and the script before the shares", async () => {
    const store = await startFaultyStore({ script: lines({ on: "*", do: 503 }), fault: "500:1" });
    const statuses = [];
    for (const fault of ["429", "", ""])
      statuses.push((await askFaulty(store, "GET /v1/pets", { fault })).status);
    expect(statuses).toEqual([429, 503, 500]);
  });

  it("gives no step to a request that has no key", async () => {
    const store = await startFaultyStore({ script: lines({ on: "*", do: "ok" }) });
    await askFaulty(store, "GET /v1/pets", { key: "" });
    expect(store.lab?.script.steps()[0]?.taken).toBe(0);
  });

  it("gives steps to requests that the limits refuse, which store nothing and count as refused", async () => {
    const script = lines(
      { on: "GET", do: "ok", times: 2 },
      { on: "POST", do: 503, kept: true },
      { on: "POST", do: 429, kept: true },
      { on: "POST", do: "reset", kept: true },
    );
    let now = Date.UTC(2026, 10, 5, 12);
    const store = await startFaultyStore({ plan: "1/day", script, clock: () => now });
    const statuses = [];
    for (const method of ["GET", "GET", "POST", "POST", "POST", "POST"]) {
      const how = { body: method === "POST" ? petBody() : "" };
      statuses.push((await askFaulty(store, `${method} /v1/pets`, how)).status);
      now += 300;
    }
    expect(statuses).toEqual([200, 429, 503, 429, 0, 429]);
    expect(store.lab?.script.steps().map(({ taken }) => taken)).toEqual([2, 1, 1, 1]);
    expect(await stateOf(store)).toMatchObject({ pets: 0, early: 4, bans: 1 });
  });
});
