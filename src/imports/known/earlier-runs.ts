import { rmSync, statSync } from "node:fs";
import { removeIf } from "../../platform/private-files.ts";
import { tryLock } from "../../platform/sqlite-lock.ts";
import {
  type JournalFileName,
  listJournals,
  listLocks,
  lockFileOf,
  readJournalFile,
} from "../journal/read.ts";
import type { RowState } from "../types.ts";
import type { RowIndex } from "./row-index.ts";
import { readRows, readRowsHeader, rowsFile } from "./rows-file.ts";

/** A run of another input, which may have added rows like those of this one. */
export interface EarlierRun {
  /** The name of its input. */
  readonly input: string;
  /** `addressHash` of the base URL that it was sent to. */
  readonly address: string;
  /** The id of the store that it was sent to, if that sent one. */
  readonly storeId: string | undefined;
  /** A hash of the API key that it was started with. */
  readonly key: string;
  /** When it last recorded anything, in ms since the epoch. */
  readonly at: number;
}

/** A run that has rows of the input, and how many. */
export interface RunMatch {
  readonly run: EarlierRun;
  readonly rows: number;
}

/** Where the journals are, and which are those of the input itself. */
export interface JournalFolder {
  readonly folder: string;
  readonly ownName: string;
  /** In ms since the epoch. */
  readonly now: number;
}

/** How long a finished run is remembered, in ms (contract.md, Bulk, Nothing twice across files). */
const memoryMs = 90 * 24 * 3600 * 1000;

/**
 * Counts in `index` every row that other runs added, or may have, and returns those that have any in
 * common with the input. Considers only the runs that `isCounted`, and their rows in a state that
 * `isWanted`.
 */
export function countEarlierRows(
  place: JournalFolder,
  index: RowIndex,
  isCounted: (run: EarlierRun) => boolean,
  isWanted: (state: RowState) => boolean = mayBeAdded,
): readonly RunMatch[] {
  return listJournals(place.folder)
    .filter(({ name }) => name !== place.ownName)
    .flatMap((journal) => countRun(place, journal, { index, isCounted, isWanted }) ?? []);
}

interface CountOptions {
  readonly index: RowIndex;
  readonly isCounted: (run: EarlierRun) => boolean;
  readonly isWanted: (state: RowState) => boolean;
}

function countRun(
  { folder, now }: JournalFolder,
  { file, name }: JournalFileName,
  count: CountOptions,
): RunMatch | undefined {
  const { index, isCounted, isWanted } = count;
  const rowsPath = rowsFile(folder, name);
  const header = readRowsHeader(rowsPath);
  if (header === undefined) return undefined;
  const journal = readJournalFile({ file, name, rows: header.rows });
  if (journal === undefined || isForgotten(journal, now)) return undefined;
  const { input, address } = header;
  const { storeId, key, modifiedAt: at } = journal;
  const run = { input, address, storeId, key, at };
  if (!isCounted(run)) return undefined;
  let rows = 0;
  for (const round of [...journal.earlierRounds, journal.rows]) {
    readRows(rowsPath, (source, row) => {
      if (isWanted(round.state(row)) && index.count(source, row)) rows += 1;
    });
  }
  return rows === 0 ? undefined : { run, rows };
}

function mayBeAdded(state: RowState): boolean {
  return state === "added" || state === "sent" || state === "unknown";
}

/** Calls `onAdded` with the id of each animal that runs that are `isCounted` added, including the input's own. */
export function readAddedIds(
  folder: string,
  isCounted: (run: Pick<EarlierRun, "storeId" | "address">) => boolean,
  onAdded: (id: bigint) => void,
): void {
  for (const { file, name } of listJournals(folder)) {
    const address = readRowsHeader(rowsFile(folder, name))?.address ?? "";
    const ids: bigint[] = [];
    const journal = readJournalFile({ file, name }, (_row, id) => ids.push(id));
    if (journal !== undefined && isCounted({ storeId: journal.storeId, address }))
      ids.forEach(onAdded);
  }
}

function isForgotten(journal: { isFinished: boolean; modifiedAt: number }, now: number): boolean {
  return journal.isFinished && journal.modifiedAt < now - memoryMs;
}

/**
 * Removes the journals of finished runs that are forgotten, with their rows and locks, and the
 * locks of runs that sent nothing. Keeps what another process holds; the input's own must be locked
 * already.
 */
export function removeForgotten({ folder, ownName, now }: JournalFolder): void {
  const isOld = (file: string): boolean =>
    (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - memoryMs;
  const journals = Map.groupBy(listJournals(folder), ({ name }) => name);
  for (const name of new Set([...journals.keys(), ...listLocks(folder)])) {
    const files = (journals.get(name) ?? []).map(({ file }) => file);
    const lockFile = lockFileOf({ folder, name });
    if (![...files, ...(files.length === 0 ? [lockFile] : [])].some(isOld)) continue;
    const lock = name === ownName ? noLock : tryLock(lockFile, 0);
    if (lock === undefined) continue;
    try {
      const forgotten = files.filter(
        (file) => isOld(file) && readJournalFile({ file, name })?.isFinished === true,
      );
      for (const file of forgotten) rmSync(file, { force: true });
      if (forgotten.length < files.length) continue;
      rmSync(rowsFile(folder, name), { force: true });
      if (name !== ownName) removeIf(lockFile, () => true);
    } finally {
      lock.release();
    }
  }
}

const noLock = { release(): void {} };
