import { describe, expect, it } from "vitest";
import type { RunMatch } from "../../../src/imports/known/earlier-runs.ts";
import {
  alreadyAdded,
  dryRunKnownNote,
  type KnownRows,
  onlyNewNote,
  sentAgainNotes,
  storeUnknown,
} from "../../../src/commands/add-from/known-rows.ts";
import { now, original } from "./past-runs.ts";

const hour = 3_600_000;
const match = (input: string, rows: number, ago: number): RunMatch => ({
  run: { input, address: "", storeId: undefined, key: "", at: now - ago },
  rows,
});
const known = (more: Partial<KnownRows> = {}): KnownRows => ({
  name: "new.csv",
  known: 2,
  rows: 3,
  matches: [match("old.csv", 2, 2 * hour)],
  now,
  ...more,
});

describe("alreadyAdded", () => {
  it("says what was added, by which run and when, and what to do", () => {
    expect(alreadyAdded(known(), original)).toMatchObject({
      kind: "usage",
      code: "already_added",
      message:
        "2 of 3 animals in new.csv were added earlier or may have been, by old.csv 2 h ago: nothing was sent",
      hints: [
        "To send the other 1: pets add --from new.csv --only-new",
        "To send all of them: pets add --from new.csv --again",
      ],
      facts: {
        retryable: false,
        earlierRows: { known: 2, rows: 3, file: "old.csv", at: "2026-11-19T22:00:00.000Z" },
      },
    });
  });

  it("does not count other runs if there are none", () => {
    const { hints } = alreadyAdded(known({ known: 3 }), original);
    expect(hints[0]).toBe("To send what is new: pets add --from new.csv --only-new");
  });

  it.each<[string, readonly RunMatch[], string]>([
    ["the most rows", [match("few.csv", 1, 0), match("most.csv", 2, hour)], "most.csv"],
    [
      "of equal ones the last",
      [match("first.csv", 2, 2 * hour), match("last.csv", 2, hour)],
      "last.csv",
    ],
  ])("names the run that has %s", (_what, matches, input) => {
    expect(alreadyAdded(known({ matches }), original).message).toContain(`by ${input} `);
  });
});

it("storeUnknown says that the store is unknown, and what to do", () => {
  expect(storeUnknown("shop.example", original)).toMatchObject({
    kind: "usage",
    code: "store_unknown",
    message: expect.stringMatching(
      /^shop\.example does not identify its store, .*: nothing was sent$/,
    ),
    hints: [
      "If it is the same store: pets add --from new.csv --resume",
      "To send all animals: pets add --from new.csv --again",
    ],
    facts: { retryable: false },
  });
});

const earlier = "by old.csv 2 h ago";

it.each<[Partial<KnownRows>, string]>([
  [
    {},
    `2 of 3 animals in new.csv were added earlier or may have been, ${earlier}: only the other 1 is sent.`,
  ],
  [
    { known: 1 },
    `1 of 3 animals in new.csv was added earlier or may have been, ${earlier}: only the other 2 are sent.`,
  ],
  [
    { known: 1, rows: 1 },
    `1 of 1 animal in new.csv was added earlier or may have been, ${earlier}: nothing is left to send.`,
  ],
])("--only-new with %j: %s", (more, note) => {
  expect(onlyNewNote(known(more))).toBe(note);
});

it.each([
  [true, 3, "left out above."],
  [false, 3, "if it is still the same store, the import needs --only-new or --again."],
  [false, 5, "--only-new leaves them out."],
])("--dry-run, with --only-new %s and %i rows: %s", (onlyNew, rows, end) => {
  const start = `2 of ${rows} animals in new.csv were added earlier or may have been, ${earlier}`;
  expect(dryRunKnownNote(known({ rows }), onlyNew)).toBe(`${start}, at this address: ${end}`);
});

const row = (line: number) => ({
  index: line - 2,
  line,
  pet: { name: `Pet ${line}`, categoryId: 1n },
});
const lineNote = (line: number): string =>
  `line ${line}: Pet ${line} was added earlier, or may have been`;

describe("sentAgainNotes", () => {
  it("returns a line for each row, and what to do", () => {
    expect(sentAgainNotes(known(), [row(2), row(5)])).toEqual([
      lineNote(2),
      lineNote(5),
      "2 animals of old.csv are sent again; --only-new skips such rows.",
    ]);
    expect(sentAgainNotes(known({ known: 1 }), [row(2)])[1]).toBe(
      "1 animal of old.csv is sent again; --only-new skips such rows.",
    );
  });

  it("says that there are more rows than it lists", () => {
    expect(sentAgainNotes(known({ known: 30, rows: 99 }), [row(2)]).at(-1)).toBe(
      "30 animals of old.csv are sent again, the first 1 of them above; --only-new skips such rows.",
    );
  });
});
