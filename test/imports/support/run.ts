import { onTestFinished, vi } from "vitest";
import type { SendObserver } from "../../../src/client/types.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import { ImportDatabase } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  type ImportRecord,
  type NewImport,
  readImport,
  startImport,
  recordedRows,
} from "../../../src/imports/database/import-records.ts";
import { openStage } from "../../../src/imports/database/stage.ts";
import { ImportRun, RunAbort, type RowChange } from "../../../src/imports/run/import-run.ts";
import { runRows } from "../../../src/imports/run/run-rows.ts";
import type { Row, RowOutcome, RowState } from "../../../src/imports/types.ts";
import { type FakeClock, fakeClock } from "../../support/command/terminal.ts";
import { temporaryFolder } from "../../support/program/program.ts";

/** Returns rows of animals that are named after their line. */
export function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_none, index) => ({
    index,
    line: index + 1,
    pet: { name: `Pet ${index + 1}`, categoryId: 1n },
  }));
}

/** What the service does with the animal of a line, after the send was reported. */
export type Service = (pet: NewPet, watcher: SendObserver, stop: RunAbort) => Promise<Pet>;

/** Adds an animal at once. */
export const added: Service = async (pet, watcher) => {
  await watcher.onSend();
  await turn();
  return { ...pet, id: BigInt(pet.name.slice(4)) };
};

/** Lets pending work run. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Opens the record of imports in a directory, with these rows staged, until the test ends. */
export function stagedDatabase(rows: readonly Row[], folder = temporaryFolder()): ImportDatabase {
  const database = new ImportDatabase(folder, "write");
  onTestFinished(() => database.close());
  stageRows(database, rows);
  return database;
}

export function stageRows(database: ImportDatabase, rows: readonly Row[]): void {
  const stage = openStage(database);
  stage.add(rows);
  stage.end(0);
}

/** Begins and starts an import of the staged rows. */
export async function startedImport(
  database: ImportDatabase,
  place: NewImport,
): Promise<ImportRecord> {
  const id = await beginImport(database, place);
  const record = await startImport(database, id, { isAgain: false });
  if (record === undefined) throw new Error("not started");
  return record;
}

/** Records an import of `rows`, of which some are in these states; added animals have ids from 100 on. */
export async function testImport(
  rows: readonly Row[],
  states: Readonly<Record<number, RowState | undefined>> = {},
  { folder, input = "a" }: { readonly folder?: string; readonly input?: string } = {},
) {
  const database = stagedDatabase(rows, folder);
  const begun = await startedImport(database, newImport(rows.length, { input }));
  const changes = rows.flatMap((row): RowChange[] => {
    const to = states[row.index];
    const id = BigInt(begun.id * 100 + row.index);
    return to ? [{ row, from: "unsent", to, ...(to === "added" && { id }) }] : [];
  });
  await recordChanges(database, begun, changes);
  return { database, record: readImport(database, begun.id) };
}

export async function recordChanges(
  database: ImportDatabase,
  record: ImportRecord,
  changes: readonly RowChange[],
): Promise<void> {
  const recorder = new ImportRun(new RunAbort(), database, record, instantClock, () => ({}));
  await Promise.all(changes.map((change) => recorder.recordChange(change)));
}

/** A clock that stands still. */
export const instantClock = { now: () => 0, sleep: () => turn() };

/** Returns an import of this many rows that has not begun. */
export function newImport(rows: number, changes: Partial<NewImport> = {}): NewImport {
  return {
    input: "a",
    name: "pets.csv",
    address: "b",
    host: "shop.example",
    rows,
    invalid: 0,
    started: 0,
    ...changes,
  };
}

/** The options of a run in a test. */
export interface TestRun {
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  readonly service?: Service;
  readonly states?: Record<number, RowState>;
  readonly concurrency?: number;
  readonly intervalMs?: number;
  readonly retryUnknown?: boolean;
  /** Called with each change before it is recorded; may throw. */
  readonly onRecord?: (what: string) => void;
  readonly stop?: RunAbort;
  readonly clock?: FakeClock;
  readonly isBackoffAnnounced?: () => boolean;
  readonly report?: (end: RowOutcome) => Promise<void> | void;
}

/** Runs rows in batches of 4. Returns how they ended, what was recorded, and why the run stopped. */
export async function runTest({
  rows,
  service = added,
  states = {},
  concurrency = 3,
  intervalMs,
  retryUnknown = false,
  stop = new RunAbort(),
  clock = fakeClock(),
  isBackoffAnnounced = () => false,
  onRecord = () => {},
  report = () => {},
}: TestRun) {
  const ends: RowOutcome[] = [];
  const records: string[] = [];
  const staged = Symbol.asyncIterator in rows ? rowsOf(100) : rows;
  const { database, record: begun } = await testImport(staged, states);
  const record = await startImport(database, begun.id, { isAgain: false });
  if (record === undefined) throw new Error("not started");
  const run = new ImportRun(stop, database, record, instantClock, () => ({}));
  const recordChange: ImportRun["recordChange"] = Reflect.get(ImportRun.prototype, "recordChange");
  const changes = vi.spyOn(ImportRun.prototype, "recordChange");
  onTestFinished(() => changes.mockRestore());
  changes.mockImplementation(async function (this: ImportRun, change) {
    const what = `${change.to} ${change.row.index}`;
    onRecord(what);
    await recordChange.call(this, change);
    records.push(what);
  });
  await runRows({
    batches: Symbol.asyncIterator in rows ? rows : inBatches(rows),
    run,
    concurrency,
    rule: { retryUnknown },
    api: { add: (pet, watcher) => service(pet, watcher ?? { onSend() {}, onRefused() {} }, stop) },
    slots: {
      clock,
      intervalMs,
      random: () => 0.5,
      wait: (ms) => clock.sleep(ms, stop.signal),
      isBackoffAnnounced,
    },
    report: (end) => {
      ends.push(end);
      return report(end);
    },
  });
  await run.settled();
  const outcomes = ends.map(({ row, outcome }) => `${row.line} ${outcome}`);
  const stored = recordedRows(database, record, 0, 1e6);
  const { counts } = run;
  return { database, ends, outcomes, records, stored, counts, reason: stop.reason?.error };
}

/** Yields rows in batches of this size. */
export async function* inBatches(rows: readonly Row[], size = 4): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}
