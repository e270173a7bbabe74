import path from "node:path";
import { readJournalFile } from "./read.ts";
import type { Replayed } from "./replay.ts";
import type { RowCounts } from "./row-states.ts";
import type { RowState } from "../types.ts";

/** Which journal. */
export interface JournalRef {
  /** `<state>/bulk`; it need not exist. */
  readonly folder: string;
  /** What `journalName` makes of the input and the base URL. */
  readonly name: string;
  /** How many rows the input has. */
  readonly rows: number;
}

/** What a journal tells of an input. Rows are counted from 0. */
export interface JournalView {
  /** Absolute path of the file. */
  readonly file: string;
  state(row: number): RowState;
  /** How many rows are in each state. */
  readonly counts: RowCounts;
  /** Whether a run came to its end. Once a row is sent again it has not. */
  readonly isFinished: boolean;
}

/**
 * What the journal of an input tells; undefined where none was begun. Makes, locks and changes
 * nothing. Throws a usage Failure where it is damaged or not of this input, and an io Failure where
 * it can't be read.
 */
export function readJournal(place: JournalRef): JournalView | undefined {
  const file = journalFile(place);
  const found = readJournalFile({ ...place, file });
  return found && viewOf(file, found);
}

/** Where the journal is kept. */
export function journalFile({ folder, name }: JournalRef): string {
  return path.join(folder, `${name}.journal`);
}

function viewOf(file: string, { rows, isFinished }: Replayed): JournalView {
  return {
    file,
    state: (row) => rows.state(row),
    counts: rows.counts,
    isFinished,
  };
}
