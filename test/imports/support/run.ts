import type { SendObserver } from "../../../src/client/types.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import { runRows } from "../../../src/imports/run/run.ts";
import type { RunJournal, RunStores } from "../../../src/imports/run/types.ts";
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
  void watcher.onSend();
  await turn();
  return { ...pet, id: BigInt(pet.name.slice(4)) };
};

/** Lets pending work run. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A journal in memory that lists what it records. */
export function memoryJournal(states: Record<number, RowState> = {}) {
  const known = new Map(Object.entries(states).map(([row, state]) => [Number(row), state]));
  const records: string[] = [];
  const note = (row: number, what: string, state: RowState): void => {
    records.push(`${what} ${row}`);
    known.set(row, state);
  };
  const journal: RunJournal = {
    state: (row) => known.get(row) ?? "unsent",
    recordSend: (row) => note(row, "send", "sent"),
    recordRefused: (row) => note(row, "refused", "unsent"),
    recordOutcome: (row, outcome) => note(row, outcome, outcome),
  };
  return { journal, records };
}

/** Accepts every reply as one of the same store. */
export const anyStore: RunStores = { accepts: () => true, recordElsewhere() {} };

/** The options of a run in a test. */
export interface TestRun {
  readonly rows: readonly Row[] | AsyncIterable<readonly Row[]>;
  readonly service?: Service;
  readonly states?: Record<number, RowState>;
  readonly concurrency?: number;
  readonly retryUnknown?: boolean;
  readonly journal?: ReturnType<typeof memoryJournal>;
  readonly stop?: RunAbort;
  readonly clock?: FakeClock;
  readonly isBackoffAnnounced?: () => boolean;
  readonly report?: (end: RowOutcome) => Promise<void> | void;
}

/** Runs rows in batches of 4. Returns how they ended, the records of the journal, and why the run stopped. */
export async function runTest({
  rows,
  service = added,
  states = {},
  concurrency = 3,
  retryUnknown = false,
  journal = memoryJournal(states),
  stop = new RunAbort(),
  clock = fakeClock(),
  isBackoffAnnounced = () => false,
  report = () => {},
}: TestRun) {
  const ends: RowOutcome[] = [];
  await runRows(
    {
      batches: Symbol.asyncIterator in rows ? rows : inBatches(rows),
      journal: journal.journal,
      stores: anyStore,
      concurrency,
      retryUnknown,
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
    },
    stop,
  );
  const outcomes = ends.map(({ row, outcome }) => `${row.line} ${outcome}`);
  return { ends, outcomes, records: journal.records, reason: stop.reason?.error };
}

async function* inBatches(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += 4) yield rows.slice(from, from + 4);
}
