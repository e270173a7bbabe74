import { expect, it } from "vitest";
import { verboseLine } from "../../src/output/verbose.ts";

const now = 1_000_000;
const url = "https://api.example/v1/pets";

const cases: [Parameters<typeof verboseLine>[0], string][] = [
  [{ type: "request", method: "GET", url, attempt: 1 }, `> GET ${url}\n`],
  [{ type: "request", method: "POST", url, attempt: 2 }, `> POST ${url} (attempt 2)\n`],
  [{ type: "reply", status: 200, ms: 12.4, limits: {} }, "< 200 in 12 ms\n"],
  [
    {
      type: "reply",
      status: 429,
      ms: 12,
      limits: { limit: 60, remaining: 0, resetAt: now + 12_000 },
    },
    "< 429 in 12 ms, limit 60, remaining 0, resets in 12 s\n",
  ],
  [{ type: "reply", status: 403, ms: 3, limits: {}, text: "No." }, "< 403 in 3 ms, No.\n"],
  [{ type: "failure", what: "connection reset\n", ms: 3 }, "! connection reset\\n after 3 ms\n"],
];

it.each(cases)("prints %o", (event, line) => {
  expect(verboseLine(event, now)).toBe(line);
});
