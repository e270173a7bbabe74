import { describe, expect, it } from "vitest";
import { addressHash } from "../../../src/imports/journal/open.ts";
import type { JournalView } from "../../../src/imports/journal/read.ts";
import { compareInput, nothingKnown } from "../../../src/commands/add-from/compare-input.ts";
import { journalRef } from "../../../src/commands/add-from/input.ts";
import { Failure } from "../../../src/core/errors.ts";
import type { PastRun } from "../../imports/support/runs.ts";
import {
  baseUrl,
  emptyContext,
  memoryInput,
  optionsWith,
  original,
  otherKey,
  ownKey,
} from "./past-runs.ts";

const elsewhere = { address: addressHash(new URL("https://other.example/v1")) };

/** What is compared: the rows of the input, those that another run added, and facts about that run. */
interface Given {
  readonly pets?: string;
  readonly added?: string;
  readonly run?: Partial<PastRun>;
  /** The id of the store; undefined if it sends none. */
  readonly answer?: string;
  readonly flags?: object;
}

/** Compares an input with a run that added other rows. */
function comparison({ pets = "abcd", added = "ab", run = {} }: Given) {
  const { context, past } = emptyContext();
  past(added, "a".repeat(added.length), run);
  const input = memoryInput(pets);
  const ref = journalRef(context, input, baseUrl);
  return compareInput(context, { ref, key: ownKey, input, baseUrl, command: original });
}

/** Compares; returns the code of the failure, or the numbers of the known rows. */
async function outcome(given: Given): Promise<string> {
  const compared = comparison(given);
  if (!compared.isPossible()) return "impossible";
  try {
    const { known } = await compared.finish(
      undefined,
      { storeId: given.answer },
      optionsWith(given.flags),
    );
    return [...known].join();
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}

describe("half of an input is known", () => {
  it.each<[string, Given, string]>([
    ["by a run to the store that answers", { run: { storeId: "S" }, answer: "S" }, "already_added"],
    [
      "also at another address",
      { run: { storeId: "S", ...elsewhere }, answer: "S" },
      "already_added",
    ],
    [
      "also with another key",
      { run: { storeId: "S", key: otherKey }, answer: "S" },
      "already_added",
    ],
    ["but not to another store here", { run: { storeId: "T" }, answer: "S" }, ""],
    ["by a run here to a store without an id", { answer: "S" }, "already_added"],
    [
      "also with another key, as the store says its id",
      { run: { key: otherKey }, answer: "S" },
      "already_added",
    ],
    ["but not elsewhere to one without an id", { run: elsewhere, answer: "S" }, "impossible"],
    ["by a run here with the same key, without any id", {}, "already_added"],
    ["maybe, with another key", { run: { key: otherKey } }, "store_unknown"],
    ["maybe, to a store that said its id then", { run: { storeId: "S" } }, "store_unknown"],
    ["but not elsewhere, if the store says no id", { run: { storeId: "S", ...elsewhere } }, ""],
    [
      "with --resume, with another key",
      { run: { key: otherKey }, flags: { resume: true } },
      "already_added",
    ],
    ["with --only-new, which leaves them out", { answer: "S", flags: { onlyNew: true } }, "0,1"],
    [
      "with --only-new, with another key",
      { run: { key: otherKey }, flags: { onlyNew: true } },
      "store_unknown",
    ],
    ["not at all", { added: "xy" }, "impossible"],
  ])("%s", async (_what, given, expected) => {
    expect(await outcome(given)).toBe(expected);
  });
});

describe("less of an input is known", () => {
  it.each<[string, Given, string]>([
    ["and sent again", { added: "b", answer: "S" }, "1"],
    ["and left out", { added: "b", answer: "S", flags: { onlyNew: true } }, "1"],
    ["or maybe not, which does not matter", { added: "b", run: { key: otherKey } }, ""],
    [
      "or maybe not, which --only-new has to know",
      { added: "b", run: { key: otherKey }, flags: { onlyNew: true } },
      "store_unknown",
    ],
  ])("%s", async (_what, given, expected) => {
    expect(await outcome(given)).toBe(expected);
  });

  it("is noted row by row, up to 20", async () => {
    const added = "bcdefghijklmnopqrstuvwx";
    const pets = `A${added}BCDEFGHIJKLMNOPQRSTUVWXYZ`;
    const compared = comparison({ pets, added });
    compared.isPossible();
    const { notes } = await compared.finish(undefined, { storeId: "S" }, optionsWith());
    expect(notes).toHaveLength(21);
    expect(notes[0]).toMatch(/^line 3: b was added earlier/);
    expect(notes[19]).toMatch(/^line 22: u /);
    expect(notes[20]).toMatch(/^23 animals of 1\.csv are sent again, the first 20 of them above/);
  });
});

it("finds nothing known if the store was not asked", async () => {
  const compared = comparison({});
  expect(compared.isPossible()).toBe(true);
  expect(await compared.finish(undefined, undefined, optionsWith())).toMatchObject({ notes: [] });
});

it("compares only what the input's own journal has not marked or sent", async () => {
  const compared = comparison({ added: "ab" });
  compared.isPossible();
  const journal: JournalView = {
    file: "",
    state: (row: number) => (row === 2 ? "added" : "unsent"),
    isMarked: (row: number) => row === 0,
    counts: { unsent: 3, sent: 0, added: 1, rejected: 0, unknown: 0, known: 0 },
    isFinished: false,
    storeId: "S",
  };
  const { known } = await compared.finish(journal, { storeId: "S" }, optionsWith());
  expect([...known]).toEqual([1]);
});

it("finds nothing known in an input that is sent in any case", async () => {
  expect(nothingKnown.isPossible()).toBe(false);
  const { known } = await nothingKnown.finish(undefined, { storeId: "S" }, optionsWith());
  expect(known.size).toBe(0);
});
