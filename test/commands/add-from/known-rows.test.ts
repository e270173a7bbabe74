import { expect, it } from "vitest";
import { alreadyAdded } from "../../../src/commands/add-from/known-rows.ts";

const now = Date.UTC(2026, 10, 20);
const active = now - 2 * 3_600_000;

// The transcripts have more of it.
it.each([
  [9, { doubtful: 2 }, "4 of 9 animals are in earlier files: 1 added, 2 maybe added, 1 changed", 5],
  [1, { known: 1, changed: 0 }, "1 of 1 animal is in earlier files: 1 added", 0],
])("of %i rows some were added, %j: says %s, and when", (rows, changes, message, others) => {
  const found = {
    rows,
    known: 4,
    changed: 1,
    doubtful: 0,
    id: 1,
    name: "old.csv",
    active,
    unsent: 0,
    ...changes,
  };
  const hints = others > 0 ? [`To send only the ${others} new ones: pets --only-new`] : [];
  expect(alreadyAdded(found, (flag) => `pets ${flag}`, now)).toMatchObject({
    message: `nothing sent: ${message} (old.csv, 2 h ago)`,
    hints: [...hints, "To send all of them: pets --again"],
    facts: {
      retryable: false,
      earlierRows: { known: found.known, rows, file: "old.csv", at: "2026-11-19T22:00:00.000Z" },
    },
  });
});
