import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseScript } from "../../../../src/server/lab/script/parse-script.ts";
import { makeScript } from "../../../../src/server/lab/script/script.ts";
import {
  askFaulty,
  namesIn,
  petBody,
  startFaultyStore,
  stateOf,
} from "../../../support/servers/faulty-store.ts";

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
    [{ retryAfter: 3 }, "3", 3_000],
    [{ retryAfter: "date" }, "Thu, 01 Jan 1970 00:00:03 GMT", 1_500],
    [{ retryAfter: "date+5s" }, "Thu, 01 Jan 1970 00:00:06 GMT", 4_500],
    [{ retryAfter: "soon" }, "soon", 0],
    [{ retryAfter: 4_294_967_296 }, "4294967296", 1e12],
    [{ retryAfter: "9999999999" }, "9999999999", 1e12],
    [{ retryAfter: "date+99999999999999s" }, "date+99999999999999s", 0],
    [{}, undefined, 0],
  ])("announces a wait as %j says", (more, text, waitMs) => {
    const trouble = scriptOf({ on: "*", do: 429, ...more }).take(get);
    expect(trouble?.response?.headers?.["Retry-After"]).toBe(text);
    expect(trouble?.waitMs).toBe(waitMs);
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
    const how = { body: petBody(), patienceMs: step.do === "hang" ? 1_500 : 10_000 };
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
