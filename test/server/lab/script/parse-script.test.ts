import { describe, expect, it } from "vitest";
import { parseScript } from "../../../../src/server/lab/script/parse-script.ts";

const only = (step: object) => parseScript(JSON.stringify(step))[0];
const troubleOf = (step: object) => only(step)?.trouble(1_500);

describe("parseScript", () => {
  it("reads a step a line, and leaves empty lines out", () => {
    const text =
      '{"on":"POST /pets","do":"reset","kept":true}\n\n{"on":"*","do":"ok","times":3}\r\n';
    const steps = parseScript(text);
    expect(steps).toMatchObject([{ times: 1, source: { on: "POST /pets" } }, { times: 3 }]);
    expect(steps.map(({ trouble }) => trouble(0))).toMatchObject([
      { wire: "reset", isKept: true },
      { wire: undefined, response: undefined, isKept: true },
    ]);
    expect(parseScript("off")).toEqual([]);
  });

  it.each([
    ["ok", true],
    ["slow", true],
    ["close", true],
    ["interim", true],
    ["truncate", true],
    ["reset", false],
    ["hang", false],
    [429, false],
    [500, false],
    [502, false],
    [503, false],
    [504, false],
  ])("keeps the animal with %s unless told otherwise: %s", (action, isKept) => {
    expect(troubleOf({ on: "*", do: action })).toMatchObject({ isKept });
    expect(troubleOf({ on: "*", do: action, kept: !isKept })).toMatchObject({ isKept: !isKept });
  });

  it.each([
    [
      { do: 503, retryAfter: 2 },
      { response: { headers: { "Retry-After": "2" } }, waitMs: 2_000 },
    ],
    [{ do: 503, retryAfter: "soon" }, { response: { headers: { "Retry-After": "soon" } } }],
    [{ do: 429, retryAfter: "date" }, { waitMs: 1_500 }],
    [{ do: 429, retryAfter: "date+5s" }, { waitMs: 4_500 }],
    [{ do: 429 }, { response: { status: 429, headers: {} }, waitMs: 0 }],
    [{ do: 502, body: "html" }, { response: { body: expect.stringContaining("<h1>502</h1>") } }],
    [{ do: "slow", over: "3s" }, { overMs: 3_000 }],
    [{ do: "ok", delay: "500ms" }, { delayMs: 500 }],
  ])("reads %j", (step, expected) => {
    expect(troubleOf({ on: "*", ...step })).toMatchObject(expected);
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
    ['{"on":"*","do":"ok","times":0}', "times must be a whole number from 1, not 0"],
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
    ['{"on":"*","do":503,"retryAfter":-1}', "retryAfter must be"],
    ['{"on":"*","do":503,"retryAfter":"a\\r\\nX: 1"}', "retryAfter must be"],
    ['{"on":"*","do":503,"retryAfter":null}', "retryAfter must be"],
    ['{"on":"*","do":"ok"}\n'.repeat(1_001), "more than 1000 steps"],
  ])("refuses %j, and says why", (text, message) => {
    expect(() => parseScript(text)).toThrow(message);
  });
});
