import type { SendObserver } from "../../../src/client/types.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import { runRows } from "../../../src/imports/run/run.ts";
import { onTestFinished } from "vitest";
import {
  beginImport,
  importsOfInput,
  type NewImport,
  recordedRows,
} from "../../../src/imports/database/import-records.ts";
import { openImports } from "../../../src/imports/database/open.ts";
import { RowRecorder } from "../../../src/imports/database/row-recorder.ts";
import { openStage } from "../../../src/imports/database/staged-input.ts";
import { ImportRun, type ImportRunParts } from "../../../src/imports/run/import-run.ts";
import { temporaryFolder } from "../../support/program/program.ts";
import { RunAbort } from "../../../src/imports/run/abort.ts";
import type { Row, RowOutcome, RowState } from "../../../src/imports/types.ts";
import { type FakeClock, fakeClock } from "../../support/command/terminal.ts";

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

/** Opens a database with an import of `rows`, of which some are in these states. */
async function testImport(rows: readonly Row[], states: Record<number, RowState> = {}) {
  const database = openImports(temporaryFolder(), "write");
  onTestFinished(() => database.close());
  const stage = openStage(database);
  stage.add(rows);
  stage.end();
  const begun = beginImport(database, newImport(rows.length));
  const options = { now: () => 0, sleep: () => turn(), mustSync: () => false };
  const before = new RowRecorder(database, options);
  await Promise.all(
    Object.entries(states).map(([index, to]) => {
      const row = rows[Number(index)];
      if (row === undefined) throw new TypeError(`no row ${index}`);
      return before.record(begun, { row, from: "unsent", to });
    }),
  );
  const [record = begun] = importsOfInput(database, begun.input);
  return { database, record, recorder: new RowRecorder(database, options) };
}

/** Returns an import of this many rows that has not begun. */
export function newImport(rows: number, changes: Partial<NewImport> = {}): NewImport {
  return {
    input: "a",
    name: "pets.csv",
    address: "b",
    host: "shop.example",
    store: undefined,
    key: "c",
    rows,
    started: 0,
    isAgain: false,
    ...changes,
  };
}

/** The options of a run in a test. */
export interface TestRun {
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  readonly service?: Service;
  readonly states?: Record<number, RowState>;
  readonly concurrency?: number;
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
  const { database, record, recorder } = await testImport(staged, states);
  const noting: ImportRunParts["recorder"] = {
    counts: (each) => recorder.counts(each),
    async record(each, change) {
      const what = `${change.to} ${change.row.index}`;
      onRecord(what);
      await recorder.record(each, change);
      records.push(what);
    },
  };
  const run = new ImportRun({
    database,
    record,
    recorder: noting,
    abort: stop,
    now: () => 0,
    sync: { onRefused() {} },
    openOther: (store) => beginImport(database, newImport(staged.length, { store })),
  });
  await runRows({
    batches: Symbol.asyncIterator in rows ? rows : inBatches(rows),
    run,
    concurrency,
    retryUnknown,
    addChanged: false,
    add: (pet, watcher) => service(pet, watcher ?? { onSend() {}, onRefused() {} }, stop),
    turns: {
      clock,
      random: () => 0.5,
      wait: (ms) => clock.sleep(ms, stop.signal),
      isBackoffAnnounced,
    },
    report: (end) => {
      ends.push(end);
      return report(end);
    },
  });
  await recorder.settled();
  const outcomes = ends.map(({ row, outcome }) => `${row.line} ${outcome}`);
  const stored = [...recordedRows(database, [record.id, 0, 1e6]).values()];
  return { ends, outcomes, records, stored, counts: run.counts, reason: stop.reason?.error };
}

async function* inBatches(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += 4) yield rows.slice(from, from + 4);
}
