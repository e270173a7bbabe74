import { describe, expect, it } from "vitest";
import { clientReport } from "../../../src/commands/serve/client-report.ts";
import type { Verdict } from "../../../src/server/judge/judge.ts";
import { noVerdict } from "../../support/servers/verdict.ts";

const clean: Verdict = { ...noVerdict, requests: { 200: 1 } };
const reportText = (verdict: Verdict): string => clientReport(verdict, []).text;
const rude: Verdict = {
  ...clean,
  requests: { 0: 1, 200: 12_000, 429: 2 },
  early: 1,
  bans: 1,
  duplicates: [
    { name: "Rex \u001b[2J", ids: [1n, 2n] },
    { name: "Zoë", ids: [9_223_372_036_854_775_807n, 3n, 4n] },
  ],
  abandoned: 2,
};

describe("the report in words", () => {
  it("says that nothing was wrong", () => {
    expect(reportText(clean)).toBe(
      `Requests     1 (200: 1)
Early        none
Bans         none
Added twice  none
Abandoned    none
Check passed
`,
    );
  });

  it("says what was wrong, without control characters", () => {
    expect(reportText(rude)).toBe(
      `Requests     12,003 (200: 12,000, 429: 2, no response: 1)
Early        1 request sent before Retry-After elapsed
Bans         1
Added twice  "Rex \\u001b[2J" (ids 1, 2), "Zoë" (ids 9223372036854775807, 3, 4)
Abandoned    2 GETs failed and never succeeded
Check failed: requests sent too early; bans; animals added twice
`,
    );
  });

  it("says that no request reached the store", () => {
    const { text, exitCode } = clientReport({ ...clean, requests: {} }, [
      { on: "*", do: 503, taken: 0 },
    ]);
    expect(text).toMatch(/^Requests     none\n/);
    expect(text).toContain('\nNot reached  step 1 {"on":"*","do":503}\n');
    expect(text).toMatch(/\nCheck failed: no request reached the store\n$/);
    expect(exitCode).toBe(2);
  });

  it("says what came besides, which does not fail a check", () => {
    const text = reportText({
      ...clean,
      outside: { "GET /pets": 1_200, "POST //v1/pets": 1 },
      parameters: { "status[]": 2, "\u202e": 1 },
      malformed: { 400: 1, 431: 2 },
    });
    expect(text).toContain(String.raw`
Outside /v1  GET /pets: 1,200, POST //v1/pets: 1
Parameters   unknown and ignored: "status[]": 2, "\u202e": 1
Malformed    400: 1, 431: 2
Check passed
`);
  });

  it("says what came instead of requests below /v1", () => {
    const outside = { "GET /pets": 1 };
    const { text, exitCode } = clientReport({ ...clean, requests: {}, outside }, []);
    expect(text).toMatch(
      /^Outside \/v1  GET \/pets: 1\nCheck failed: no request was below \/v1\n$/m,
    );
    expect(exitCode).toBe(2);
  });

  it("names at most ten animals", () => {
    const duplicates = Array.from({ length: 12 }, (_, n) => ({ name: `n${n}`, ids: [1n, 2n] }));
    const text = reportText({ ...clean, duplicates });
    expect(text).toContain('"n9" (ids 1, 2), and 2 more\n');
    expect(text).not.toContain("n10");
  });

  it("passes clients that only abandoned a GET", () => {
    expect(reportText({ ...clean, abandoned: 1 })).toMatch(/1 GET failed.*\nCheck passed\n$/);
  });
});

describe("the report as JSON", () => {
  it("is one line with exact ids", () => {
    expect(clientReport(rude, []).json.trimEnd()).toBe(
      String.raw`{"requests":{"0":1,"200":12000,"429":2},"early":1,"bans":1,"duplicates":[{"name":"Rex \u001b[2J","ids":[1,2]},{"name":"Zoë","ids":[9223372036854775807,3,4]}],"abandoned":2,"outside":{},"parameters":{},"malformed":{}}`,
    );
  });
});
