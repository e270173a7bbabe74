import { readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { openResults } from "../../src/imports/results.ts";
import type { InputRecord } from "../../src/imports/types.ts";
import { temporaryFolder } from "../support/program/program.ts";

/** Writes the results of rows of NDJSON, each of which was added; returns the file. */
async function resultsOf(rows: readonly string[]): Promise<string> {
  const file = path.join(temporaryFolder(), "results.ndjson");
  const shape = { lineEnd: "\n", hasByteOrderMark: false };
  const records = rows.map((original, index): InputRecord => {
    return { read: { index, line: index + 1, pet: { name: "a", categoryId: 1n } }, original };
  });
  const source = {
    format: "ndjson" as const,
    shape,
    async *records() {
      for (let from = 0; from < records.length; from += 8) yield records.slice(from, from + 8);
    },
  };
  await openResults(file, "input.ndjson").write(source, () => ({ outcome: "added" }));
  return readFileSync(file, "utf8");
}

/** A character of one to four bytes, and how often a name has it: some are longer than what is written at once. */
const anyName = fc.tuple(
  fc.constantFrom("a", "é", "犬", "🐶"),
  fc.constantFrom(1, 9000, 21_000, 70_000),
);

it("writes every row once and in order, however long", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyName, { maxLength: 12 }), async (drawn) => {
      const names = drawn.map(([unit, count]) => unit.repeat(count));
      const rows = names.map((name) => JSON.stringify({ name }));
      const expected = names.map((name) => `${JSON.stringify({ name, outcome: "added" })}\n`);
      expect((await resultsOf(rows)) === expected.join("")).toBe(true);
    }),
    { numRuns: 40 },
  );
});
