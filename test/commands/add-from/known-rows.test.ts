import { expect, it } from "vitest";
import { alreadyAdded } from "../../../src/commands/add-from/known-rows.ts";

const now = Date.UTC(2026, 10, 20);
const active = now - 2 * 3_600_000;
const next = (...flags: readonly string[]) => `pets ${flags.join(" ")}`;
const again = (what: string) =>
  `To add ${what} a second time (animals cannot be deleted): pets --again`;

// The transcripts have more of it.
it.each([
  [
    9,
    { doubtful: 2 },
    "4 of 9 animals are in earlier files: 1 added, 2 maybe added, 1 changed",
    ["To send only the 5 new ones: pets --only-new", again("all 9, 4 of them")],
  ],
  [
    5,
    {},
    "4 of 5 animals are in earlier files: 3 added, 1 changed",
    ["To send only the new one: pets --only-new", again("all 5, 4 of them")],
  ],
  [4000, { known: 4000, changed: 0 }, "4,000 of 4,000 animals are", [again("all 4,000")]],
  [1, { known: 1, changed: 0 }, "1 of 1 animal is in earlier files: 1 added", [again("it")]],
])("of %i rows some were added, %j: says %s, and when", (rows, changes, message, hints) => {
  const known = {
    rows,
    known: 4,
    changed: 1,
    doubtful: 0,
    news: 4,
    name: "old.csv",
    active,
    ...changes,
  };
  const failure = alreadyAdded(known, next, now);
  expect(failure).toMatchObject({
    kind: "usage",
    code: "already_added",
    message: expect.stringContaining(`nothing sent: ${message}`),
    hints,
    facts: {
      retryable: false,
      earlierRows: { known: known.known, rows, file: "old.csv", at: "2026-11-19T22:00:00.000Z" },
    },
  });
  expect(failure.message).toMatch(/ \(old\.csv, 2 h ago\)$/);
});

it("says that keys seem to be others, and offers only --again", () => {
  const counts = { rows: 1000, known: 900, changed: 0, doubtful: 0, news: 0 };
  const known = { ...counts, name: "old.csv", active, hasOtherKeys: 1 } as const;
  expect(alreadyAdded(known, next, now)).toMatchObject({
    code: "already_added",
    message:
      "nothing sent: no key is known, but 900 of 1,000 animals are in earlier files with other keys (old.csv, 2 h ago)",
    hints: ["Is --key the same column as before?", again("all 1,000, 900 of them")],
    facts: { earlierRows: { known: 900, rows: 1000 } },
  });
});
