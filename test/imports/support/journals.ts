import path from "node:path";
import { onTestFinished } from "vitest";
import { openJournal } from "../../../src/imports/journal/open.ts";
import type { JournalRef } from "../../../src/imports/journal/read.ts";
import type { Journal, JournalOptions } from "../../../src/imports/journal/journal.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { key, name } from "./journal-records.ts";

/** A journal that does not exist yet, of an input of ten rows. */
export function newPlace(rows = 10): JournalRef {
  return { folder: path.join(temporaryFolder(), "state", "pets", "bulk"), name, rows };
}

/** Opens the journal until the test ends. */
export function open(place: JournalRef, more: Partial<JournalOptions> = {}): Journal {
  const journal = openJournal({ key, input: "pets.csv", limits: () => ({}), ...place, ...more });
  onTestFinished(() => journal.close());
  return journal;
}

/** Returns the state of each row. */
export const statesOf = (journal: { state(row: number): string }, rows = 10): string =>
  Array.from({ length: rows }, (_, row) => journal.state(row)[0]).join("");
