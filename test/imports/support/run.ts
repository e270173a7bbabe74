import { onTestFinished, vi } from "vitest";
import type { SendObserver } from "../../../src/client/types.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import { ImportDatabase, type Waits } from "../../../src/imports/database/database.ts";
import {
  beginImport,
  type ImportRecord,
  type NewImport,
  readImport,
  startImport,
  recordedRows,
} from "../../../src/imports/database/import-records.ts";
import { openStage } from "../../../src/imports/database/stage.ts";
import { ImportRun, RunAbort } from "../../../src/imports/run/import-run.ts";
import { runRows } from "../../../src/imports/run/run-rows.ts";
import type { ReadOptions, Row, RowOutcome, RowState } from "../../../src/imports/types.ts";
import { testMachine } from "../../support/command/machine.ts";
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
export function stagedDatabase(
  rows: readonly Row[],
  folder = temporaryFolder(),
  waits?: Waits,
): ImportDatabase {
  const database = new ImportDatabase(folder, "write", waits);
  onTestFinished(() => database.close());
  stageRows(database, rows);
  return database;
}

export function stageRows(
  database: ImportDatabase,
  rows: readonly Row[],
  repeats?: ReadOptions["repeats"],
): void {
  const stage = openStage(database, repeats);
  stage.add(rows);
  stage.end(0);
}

/** Begins and starts an import of the staged rows. */
export async function startedImport(
  database: ImportDatabase,
  place: NewImport,
): Promise<ImportRecord> {
  const id = await beginImport(database, place);
  await startImport(database, id, {});
  return readImport(database, id);
}

/** Records an import of `rows`, of which some are in these states; added animals have ids from 100 on. */
export async function testImport(
  rows: readonly Row[],
  states: Readonly<Record<number, RowState | undefined>> = {},
  { folder, ...changes }: Partial<NewImport> & { readonly folder?: string } = {},
) {
  const database = stagedDatabase(rows, folder);
  const { id } = await startedImport(database, newImport(changes));
  for (const { index } of rows) setState(database, { id }, index, states[index]);
  return { database, record: readImport(database, id) };
}

/** Sets the state of a row, if any; an added animal has an id from 100 on, or the given one. */
export function setState(
  database: ImportDatabase,
  { id }: Pick<ImportRecord, "id">,
  number: number,
  state?: RowState,
  animal = BigInt(id * 100 + number),
): void {
  const update = "UPDATE rows SET state = ?, id = ? WHERE import = ? AND number = ?";
  if (state) database.change(update, state, state === "added" ? animal : null, id, number);
}

/** A clock that stands still, of a machine that has run for a second. */
export const instantTime = {
  clock: { now: () => 0, monotonic: () => 1000 },
  machine: testMachine({ monotonic: () => 1000 }),
};

/** Returns an import that has not begun. */
export function newImport(changes: Partial<NewImport> = {}): NewImport {
  return {
    input: "a",
    name: "pets.csv",
    address: "b",
    host: "shop.example",
    started: 0,
    ...changes,
  };
}

/** The options of a run in a test. */
export interface TestRun {
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  readonly service?: Service;
  readonly states?: Record<number, RowState>;
  /** The states of rows of another import that stand for the first ones. */
  readonly covers?: readonly RowState[];
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
  covers = [],
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
  for (const [number, state] of covers.entries()) {
    database.run("INSERT INTO rows VALUES (99, ?, 1, '', ?, NULL, NULL, NULL)", number, state);
    database.run("INSERT INTO covers VALUES (?, ?, 99, ?, 0)", begun.id, number, number);
  }
  const record = readImport(database, begun.id);
  const run = new ImportRun(stop, database, record, instantTime, () => ({}));
  const steps = {
    recordSend: ({ index }: Row) => `sent ${index}`,
    recordUnsent: ({ index }: Row) => `unsent ${index}`,
    recordEnd: ({ outcome, row: { index } }: RowOutcome) => `${outcome} ${index}`,
  };
  for (const name of ["recordSend", "recordUnsent", "recordEnd"] as const) {
    const original = run[name].bind(run) as (...words: unknown[]) => Promise<void>;
    vi.spyOn(run, name).mockImplementation(async (...words: unknown[]) => {
      const what = steps[name](words[0] as Row & RowOutcome);
      onRecord(what);
      await original(...words);
      records.push(what);
    });
  }
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
  const counts = readImport(database, record.id);
  return { database, ends, outcomes, records, stored, counts, reason: stop.reason?.error };
}

/** Yields rows in batches of this size. */
export async function* inBatches(rows: readonly Row[], size = 4): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}
