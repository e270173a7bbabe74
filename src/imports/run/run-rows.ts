import type { PetsApi } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import { beginImport, importsOfInput, readyImport } from "../database/import-records.ts";
import { RowRecorder } from "../database/rows.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import { type SendSlot, type SlotOptions, SendSlots } from "./send-slots.ts";

/** The state of a run: its import, how many rows are in which state, and why it stops. */
export class ImportRun extends RowRecorder {
  readonly abort: RunAbort;
  #storeId = this.record.store;

  constructor(...[abort, ...recorded]: [RunAbort, ...ConstructorParameters<typeof RowRecorder>]) {
    super(...recorded);
    this.abort = abort;
  }

  /** Returns whether this is the id of the run's own store, as the first one is. A different one stops the run. */
  accepts(storeId: string): boolean {
    if (this.#storeId === null) this.#update("store = ?", storeId);
    this.#storeId ??= storeId;
    if (this.#storeId === storeId) return true;
    const replaced = `the store at ${this.record.host} was replaced by another one during the run`;
    const hints = ["Run the command again to send all animals to the new store."];
    this.abort.stop(new Failure("service", replaced, { hints, retryable: true }));
    return false;
  }

  /** Records how a row ended at another store, which responded, unless it was added there; here it is what it was `before`. */
  async recordElsewhere(end: RowOutcome, before: RowState, store: string): Promise<void> {
    const { database, record, clock } = this;
    const { row } = end;
    const known = importsOfInput(database, record.input).find((each) => each.store === store);
    const begun = known ?? beginImport(database, { ...record, started: clock.now() });
    const there = readyImport(database, begun, { store, isAgain: false });
    const recorder = new RowRecorder(database, there, clock, () => ({}));
    const state = recorder.recorded(row.index, 1).get(row.index)?.state;
    if (state !== "added") await recorder.recordEnd(end, state);
    await this.recordUnsent(row, before);
  }

  #update(change: "store = ?", value: string): void {
    const update = `UPDATE imports SET ${change} WHERE id = ?`;
    this.database.transact(() => this.database.run(update, value, this.record.id));
  }
}

/** Ends a run before its last row. The first reason counts. Requests in flight finish unless `abandon` is called. */
export class RunAbort {
  readonly #waits = new AbortController();
  readonly #sends = new AbortController();
  /** Ends waits; no more requests may be sent. */
  readonly signal = this.#waits.signal;
  /** Ends requests in flight too. */
  readonly sendSignal = this.#sends.signal;
  reason: { readonly error: unknown } | undefined;

  stop(error: unknown): void {
    this.reason ??= { error };
    // Rows that end by this must not fail with `error` itself, which may be the reply to another row.
    this.#waits.abort(new Failure("interrupted", "the run was stopped", { retryable: true }));
  }

  abandon(error: unknown): void {
    this.reason = { error };
    this.stop(error);
    this.#sends.abort();
  }
}

export interface RunParts {
  /** All rows that were checked, in order; rejects with a Failure if the input has changed. */
  readonly batches: AsyncIterable<readonly Row[]>;
  readonly run: ImportRun;
  readonly rule: { readonly retryUnknown?: boolean };
  /** Its requests end when the signals of `run.abort` are aborted. */
  readonly api: Pick<PetsApi, "add">;
  readonly concurrency: number;
  readonly slots: SlotOptions;
  /** Called once the end is recorded. Workers send at most one more row until its promise resolves; a rejection stops. */
  readonly report: (end: RowOutcome) => Promise<void> | void;
}

interface RowToSend {
  readonly row: Row;
  /** When the run began. */
  readonly state: RowState;
}

/** Sends the rows that are left, in order, until all have ended or `run.abort` stops it. Never rejects. */
export async function runRows(parts: RunParts): Promise<void> {
  const workers = new Workers(parts);
  const rows = rowsIn(["unsent", "unknown"], parts);
  await Promise.all(Array.from({ length: parts.concurrency }, () => workers.work(rows)));
}

const lookupSize = 1000;

/** Yields the rows of an input that are in one of these states, in their order. */
export async function* rowsIn(
  states: readonly RowState[],
  { batches, run }: Pick<RunParts, "batches" | "run">,
): AsyncGenerator<RowToSend> {
  let recorded: ReturnType<typeof run.recorded> = new Map();
  let end = 0;
  for await (const rows of batches) {
    for (const row of rows) {
      if (row.index >= end) {
        recorded = run.recorded(row.index, lookupSize);
        end = row.index + lookupSize;
      }
      const state = recorded.get(row.index)?.state ?? "unsent";
      if (states.includes(state)) yield { row, state };
    }
  }
}

const sentEarlier = "sent by an earlier run";
const notNow = new Error("the row may not be sent now");

class Workers {
  readonly #parts: RunParts;
  readonly #slots: SendSlots;
  /** The report of all rows that ended. */
  #reported: Promise<void> = Promise.resolve();
  /** Resolves when more may be reported; undefined if it may now. */
  #drained: Promise<void> | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#slots = new SendSlots(parts.slots);
  }

  async work(rows: AsyncIterable<RowToSend>): Promise<void> {
    const { run, rule } = this.#parts;
    try {
      for await (const item of rows) {
        await this.#drained;
        // It may have been stopped while the input was read.
        if (run.abort.signal.aborted) break;
        if (item.state === "unknown" && !rule.retryUnknown)
          this.#report(unknownEnd(item.row, sentEarlier), Promise.resolve());
        else await this.#send(item);
      }
    } catch (error) {
      run.abort.stop(error);
    }
    await this.#reported;
    await this.#drained?.catch(() => {});
  }

  /** Sends a row in its slot, or in another if that ended before the row could leave. Records each step before the next. */
  async #send(item: RowToSend): Promise<void> {
    const { row, state } = item;
    const { run, api } = this.#parts;
    await this.#drained;
    const slot = await this.#slots.next();
    let isSent = false;
    let elsewhere: string | undefined;
    const undo = (): void => {
      isSent = false;
      run.recordUnsent(row, state).catch((error: unknown) => run.abort.stop(error));
    };
    const observer = {
      onSend: async (): Promise<void> => {
        this.#assertAllowed(slot);
        const sent = run.recordChange({ row, from: state, to: "sent" }).then(() => (isSent = true));
        // The same transaction has the ends of the rows before: they are reported.
        await Promise.all([sent, this.#reported]);
        this.#assertAllowed(slot);
        this.#slots.leave(slot);
      },
      onRefused: undo,
      onRetry: () => this.#slots.again(slot),
      onReply(storeId: string | undefined): void {
        if (storeId !== undefined && !run.accepts(storeId)) elsewhere = storeId;
      },
    };
    let end: RowOutcome | undefined;
    try {
      end = { outcome: "added", row, pet: await api.add(row.pet, observer) };
    } catch (error) {
      if (error === notNow) {
        if (isSent) undo();
        this.#slots.cancel(slot);
        return this.#send(item);
      }
      const { outcome, stops } = classifyFailure(error, isSent);
      if (stops) run.abort.stop(error);
      if (error instanceof Failure && (outcome === "rejected" || outcome === "unknown"))
        end = { outcome, row, failure: error };
      // An internal error says nothing about the row: a send that began stays in doubt.
      else if (isSent && outcome === "not_sent") undo();
    }
    this.#slots.end(slot, end?.outcome === "unknown");
    if (end !== undefined && elsewhere !== undefined)
      await run.recordElsewhere(end, state, elsewhere);
    else if (end !== undefined) this.#report(end, run.recordEnd(end));
  }

  /** Throws if a row may not leave in its slot any more: it may wait long for the rate limiter, and a little for the disk. */
  #assertAllowed(slot: SendSlot): void {
    if (!this.#slots.isCurrent(slot) || this.#drained !== undefined) throw notNow;
  }

  /** Reports how a row ended once that is recorded, after those before. */
  #report(end: RowOutcome, recorded: Promise<void>): void {
    const { run, report } = this.#parts;
    const stop = (error: unknown): void => run.abort.stop(error);
    const reportAfter = async (before: Promise<void>): Promise<void> => {
      await Promise.all([recorded, before]);
      this.#drained = report(end) ?? undefined;
      this.#drained?.then(() => (this.#drained = undefined), stop);
    };
    this.#reported = reportAfter(this.#reported).catch(stop);
  }
}

/** Returns the end of a row whose animal may have been added: `why` says what is not known. */
export function unknownEnd(row: Row, why: string): RowOutcome {
  const failure = new Failure("outcome_unknown", why, { retryable: false });
  return { outcome: "unknown", row, failure };
}

/** Returns how a row ended with an error, and whether the run stops. `inDoubt`: the row was sent, and not refused. */
export function classifyFailure(
  error: unknown,
  inDoubt: boolean,
): { outcome: "rejected" | "unknown" | "not_sent" | "internal_error"; stops: boolean } {
  const kind = error instanceof Failure ? error.kind : "internal";
  if (kind === "internal" || kind === "partial") return { outcome: "internal_error", stops: true };
  if (kind === "outcome_unknown") return { outcome: "unknown", stops: false };
  // Anything else applies to every row: a proxy's page, or what was found before sending.
  const isOfRow = error instanceof Failure && error.facts.hasErrorBody;
  if (isOfRow && kind === "usage") return { outcome: "rejected", stops: false };
  const isCut = kind === "interrupted" || kind === "terminated" || kind === "io";
  return { outcome: isCut && inDoubt ? "unknown" : "not_sent", stops: true };
}
