import { expect, it } from "vitest";
import { alreadyAdded } from "../../../src/commands/add-from/known-rows.ts";

const now = Date.UTC(2026, 10, 20);
const active = now - 2 * 3_600_000;

// The transcripts have more of it.
it.each([
  [9, ["To send only the 7 new ones: pets --only-new"]],
  [2, []],
])("of %i rows 2 were added: says when, and offers %j", (compared, hints) => {
  const rows = {
    compared,
    known: 2,
    changed: 0,
    isUnfinished: 0 as const,
    name: "old.csv",
    active,
  };
  expect(alreadyAdded(rows, (flag) => `pets ${flag}`, now)).toMatchObject({
    message: `nothing sent: 2 of ${compared} animals may already be in the store (old.csv, 2 h ago)`,
    hints: [...hints, "To send all of them: pets --again"],
    facts: {
      retryable: false,
      earlierRows: { known: 2, rows: compared, file: "old.csv", at: "2026-11-19T22:00:00.000Z" },
    },
  });
});
