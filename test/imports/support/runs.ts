import { utimesSync } from "node:fs";
import { journalFile } from "../../../src/imports/journal/read.ts";
import { openJournal } from "../../../src/imports/journal/open.ts";
import type { Journal } from "../../../src/imports/journal/journal.ts";
import { Fingerprints } from "../../../src/imports/known/fingerprints.ts";
import { rowsFile, writeRowsFile } from "../../../src/imports/known/rows-file.ts";
import { key as anyKey } from "./journal-records.ts";

/** A run that left its journal in a folder. */
export interface PastRun {
  readonly folder: string;
  /** One hexadecimal digit, from which the journal's name is made. */
  readonly digit: string;
  /** The names of the animals, one letter each. */
  readonly pets: string;
  /** How each row ended, one letter each: added, sent, unknown, rejected, known, unsent as ".". */
  readonly ends: string;
  readonly suffix?: string;
  readonly storeId?: string;
  readonly key?: string;
  readonly address?: string;
  /** When it last recorded anything, in ms since the epoch. */
  readonly at?: number;
  /** How the rows ended before they were all sent again. */
  readonly earlierEnds?: string;
  readonly isFinished?: boolean;
  /** Whether there is no file of its rows, which earlier versions did not write. */
  readonly hasNoRows?: boolean;
}

/** Returns a run by the digit of its name, the names of its animals and how they ended. */
export function run(digit: string, pets: string, ends: string, more: Partial<PastRun> = {}) {
  return { digit, pets, ends, ...more };
}

/** Returns the name of a journal that is made from a digit. */
export const nameOf = (digit: string): string => digit.repeat(32);

/** Returns the fingerprints of animals whose names are one letter each. */
export function fingerprintsOf(pets: string): Fingerprints {
  const rows = new Fingerprints();
  for (const name of pets) rows.add({ name, categoryId: 1n });
  return rows;
}

/** Writes the journal of a run, and the file of its rows. The id of an animal is the number of its row, from 1. */
export function writeRun(past: PastRun): void {
  const { folder, digit, pets, ends, storeId, address = "0".repeat(32), key = anyKey } = past;
  const name = nameOf(digit);
  const input = `${digit}.csv`;
  const place = { folder, name, ...(past.suffix !== undefined && { suffix: past.suffix }) };
  const journal = openJournal({ ...place, rows: pets.length, key, input, limits: () => ({}) });
  if (storeId !== undefined) journal.recordStore(storeId);
  if (past.earlierEnds !== undefined) {
    play(journal, past.earlierEnds);
    journal.restart();
  }
  play(journal, ends);
  if (past.isFinished === true) journal.finish();
  journal.close();
  if (past.hasNoRows !== true)
    writeRowsFile(rowsFile(folder, name), { address, input }, fingerprintsOf(pets));
  const seconds = (past.at ?? Date.now()) / 1000;
  utimesSync(journalFile(place), seconds, seconds);
}

function play(journal: Journal, ends: string): void {
  for (const [row, end] of Array.from(ends).entries()) {
    if ("asur".includes(end)) journal.recordSend(row);
    if (end === "a") journal.recordOutcome(row, "added", BigInt(row + 1));
    if (end === "u") journal.recordOutcome(row, "unknown");
    if (end === "r") journal.recordOutcome(row, "rejected");
    if (end === "k") journal.markRows([row], "known");
  }
}
