import { describe, expect, it } from "vitest";
import type { StoredJournal } from "../../../src/imports/journal/read.ts";
import { selectJournal, selectUnconfirmed } from "../../../src/imports/journal/select.ts";

const counts = { unsent: 0, sent: 0, added: 1, rejected: 0, unknown: 0, known: 0 };

const isMarked = () => false;
const state = () => "added" as const;

function journal(parts: Partial<StoredJournal>): StoredJournal {
  const base = { file: "", suffix: undefined, key: "mine", modifiedAt: 0, isFinished: true };
  return { ...base, storeId: undefined, counts, state, isMarked, ...parts };
}

const a = journal({ storeId: "A" });
const b = journal({ storeId: "B", suffix: "b", modifiedAt: 1 });
const unnamed = journal({});

/** Returns the name of the chosen journal, or what the new one is like. */
function chosen(journals: readonly StoredJournal[], answer: string | undefined, key = "mine") {
  const choice = selectJournal(journals, { storeId: answer }, key);
  if (choice === "store_unknown") return choice;
  if (choice.journal === undefined) return choice.suffix === undefined ? "first" : "another";
  return choice.journal.storeId ?? "unnamed";
}

describe("selectJournal", () => {
  it.each([
    ["of the store that answers", [a, b], "B", "mine", "B"],
    ["of the store that answers, whatever the key", [a, b], "A", "other", "A"],
    ["of another store is left alone", [a], "B", "mine", "another"],
    ["without a store is taken over", [unnamed], "A", "other", "unnamed"],
    ["is new if there is none", [], "A", "mine", "first"],
    ["is known by the key if no id is said", [unnamed], undefined, "mine", "unnamed"],
    [
      "started with another key can't be identified",
      [unnamed],
      undefined,
      "other",
      "store_unknown",
    ],
    ["of a store can't be known without its id", [a], undefined, "mine", "store_unknown"],
  ] as const)("the journal %s", (_what, journals, answer, key, expected) => {
    expect(chosen(journals, answer, key)).toBe(expected);
  });

  it("returns the first if the store was not asked", () => {
    expect(selectJournal([b, a], undefined, "other")).toEqual({ suffix: undefined, journal: a });
  });
});

it.each([
  ["--resume", [a, b], false, { suffix: "b", journal: b }],
  ["--resume", [unnamed, b], false, { suffix: undefined, journal: unnamed }],
  ["--again", [a, b], true, { suffix: "unnamed", journal: undefined }],
  ["--again", [unnamed], true, { suffix: undefined, journal: unnamed }],
])("%s still chooses a journal", (_flag, journals, again, expected) => {
  expect(selectUnconfirmed(journals, again)).toEqual(expected);
});
