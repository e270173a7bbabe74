// The way of a row: `runRows` takes it from the input when a worker is free, and `SendSlots` says when it may go. What
// happens to it then is not returned but reported, in this order, to a `RowSend`, by the client (`SendObserver`):
//   onSend     with the permit of the rate limiter, before a byte leaves: the send is recorded, or prevented
//   onReply    with the id of the store, once it has responded
//   onRefused  where the send had no effect: the row is again what it was before
//   onRetry    before a further send of the same row, after the wait for it
// Then `add` ends, with the animal or a Failure; how the row ended is recorded first, and passed to `report` after it.
import type { PetsApi } from "../../client/pets-client.ts";
import type { SendObserver } from "../../client/types.ts";
import { Failure, isCancelled } from "../../core/errors.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import type { ImportRun } from "./import-run.ts";
import { type SendSlot, type SlotOptions, SendSlots } from "./send-slots.ts";

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
  /** Whether the animal may have been added. */
  readonly isUnknown: boolean;
  /** Whether a row of another import stands for it. */
  readonly isCovered: boolean;
}

const sentEarlier = "sent by an earlier run";
const coveredUnknown = "an earlier file may have added it";

/** Sends the rows that are left, in order, until all have ended or `run.abort` stops it. Never rejects. */
export async function runRows(parts: RunParts): Promise<void> {
  const { run, rule, concurrency } = parts;
  const slots = new SendSlots(parts.slots);
  const reports = new Reports(parts);
  const rows = rowsIn(parts);
  const work = async (): Promise<void> => {
    try {
      for await (const item of rows) {
        await reports.drained;
        // It may have been stopped while the input was read.
        if (run.abort.signal.aborted) break;
        if (item.isUnknown && (item.isCovered || !rule.retryUnknown))
          reports.add(
            unknownEnd(item.row, item.isCovered ? coveredUnknown : sentEarlier),
            Promise.resolve(),
          );
        else if (!item.isCovered) await sendRow(item, { ...parts, slots, reports });
      }
    } catch (error) {
      run.abort.stop(error);
    }
    await reports.settled();
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Yields the rows of an input that are unknown, or may be sent, in their order. */
async function* rowsIn({
  batches,
  run,
}: Pick<RunParts, "batches" | "run">): AsyncGenerator<RowToSend> {
  for await (const rows of batches) {
    const recorded = run.recorded(rows);
    for (const row of rows) {
      const {
        state = "unsent",
        outcome = "unsent",
        byImport = null,
      } = recorded.get(row.index) ?? {};
      const isUnknown = outcome === "unknown";
      if (isUnknown || outcome === "unsent")
        yield { row, state, isUnknown, isCovered: byImport !== null };
    }
  }
}

interface SendParts extends Pick<RunParts, "api" | "run"> {
  readonly slots: SendSlots;
  readonly reports: Reports;
}

/** Sends a row in its slot, or in another if that ended before the row could leave, and records and reports how it ended. */
async function sendRow(item: RowToSend, parts: SendParts): Promise<void> {
  const { api, run, slots, reports } = parts;
  const { row, state } = item;
  let send: RowSend;
  do {
    await reports.drained;
    send = new RowSend(item, parts, await slots.next());
    await send.perform(api);
  } while (send.isLate);
  const { end, elsewhere } = send;
  if (end === undefined) return;
  if (elsewhere === undefined) reports.add(end, run.recordEnd(end));
  else if (!(await run.recordElsewhere(end, state, elsewhere))) {
    const unknown = unknownEnd(row, "one more store responded");
    reports.add(unknown, run.recordEnd(unknown));
  }
}

const late = new Error("the row may not be sent now");

/** One send of a row: it records each step before the next, and holds what happened. */
class RowSend implements SendObserver {
  /** The slot ended before the row could leave: it needs another. */
  isLate = false;
  /** How the row ended, unless it is again what it was before. */
  end: RowOutcome | undefined;
  /** The id of a store that is not the run's own, and responded. */
  elsewhere: string | undefined;
  readonly #item: RowToSend;
  readonly #parts: Omit<SendParts, "api">;
  readonly #slot: SendSlot;
  /** Whether the last send is recorded, and had an effect as far as is known. */
  #isSent = false;
  #hasReply = false;

  constructor(item: RowToSend, parts: Omit<SendParts, "api">, slot: SendSlot) {
    this.#item = item;
    this.#parts = parts;
    this.#slot = slot;
  }

  async perform(api: SendParts["api"]): Promise<void> {
    const { row } = this.#item;
    const { slots } = this.#parts;
    try {
      this.end = { outcome: "added", row, pet: await api.add(row.pet, this) };
      slots.end(this.#slot, false);
    } catch (error) {
      this.isLate = error === late;
      if (!this.isLate) this.#fail(error);
      else {
        if (this.#isSent) this.onRefused();
        slots.cancel(this.#slot);
      }
    }
  }

  async onSend(): Promise<void> {
    const { run, reports, slots } = this.#parts;
    const { row, state } = this.#item;
    this.#hasReply = false;
    this.#assertCurrent();
    const sent = run.recordSend(row, state).then(() => (this.#isSent = true));
    // The same transaction has the ends of the rows before: they are reported.
    await Promise.all([sent, reports.last]);
    this.#assertCurrent();
    slots.leave(this.#slot);
  }

  onReply(storeId: string | undefined): void {
    this.#hasReply = true;
    if (storeId !== undefined && !this.#parts.run.accepts(storeId)) this.elsewhere = storeId;
  }

  onRefused(): void {
    const { run } = this.#parts;
    const { row, state } = this.#item;
    this.#isSent = false;
    run.recordUnsent(row, state, this.#hasReply).catch((error: unknown) => run.abort.stop(error));
  }

  onRetry(): Promise<void> {
    return this.#parts.slots.again(this.#slot);
  }

  /** Throws if the row may not leave in its slot any more: it may wait long for the rate limiter, and a little for the disk. */
  #assertCurrent(): void {
    const { slots, reports } = this.#parts;
    if (!slots.isCurrent(this.#slot) || reports.drained !== undefined) throw late;
  }

  #fail(error: unknown): void {
    const { run, slots } = this.#parts;
    const { row, state } = this.#item;
    const { outcome, stops } = classifyFailure(error, this.#isSent);
    if (stops) run.abort.stop(asReason(error), row);
    if (error instanceof Failure && (outcome === "rejected" || outcome === "unknown"))
      this.end =
        outcome === "rejected" && state === "sent"
          ? unknownEnd(row, `sent again, and rejected: ${error.message}`)
          : { outcome, row, failure: error };
    // An internal error says nothing about the row: a send that began stays in doubt.
    else if (this.#isSent && outcome === "not_sent") this.onRefused();
    slots.end(this.#slot, outcome === "unknown");
  }
}

/** Returns why a run stops at a failure: a redirect concerns every row, whatever became of this one. */
function asReason(error: unknown): unknown {
  if (!(error instanceof Failure) || error.kind !== "outcome_unknown") return error;
  return new Failure("service", error.message, { ...error.facts, hints: error.hints });
}

/** Reports how rows ended, in order, and each once that is recorded. */
class Reports {
  /** The report of all rows that ended. */
  last: Promise<void> = Promise.resolve();
  /** Resolves when more may be reported; undefined if it may now. */
  drained: Promise<void> | undefined;
  readonly #parts: Pick<RunParts, "run" | "report">;

  constructor(parts: Pick<RunParts, "run" | "report">) {
    this.#parts = parts;
  }

  add(end: RowOutcome, recorded: Promise<void>): void {
    const { run, report } = this.#parts;
    const stop = (error: unknown): void => run.abort.stop(error);
    const reportAfter = async (before: Promise<void>): Promise<void> => {
      await Promise.all([recorded, before]);
      this.drained = report(end) ?? undefined;
      this.drained?.then(() => (this.drained = undefined), stop);
    };
    this.last = reportAfter(this.last).catch(stop);
  }

  async settled(): Promise<void> {
    await this.last;
    await this.drained?.catch(() => {});
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
  const { status = 0 } = error instanceof Failure ? error.facts : {};
  if (kind === "outcome_unknown")
    return { outcome: "unknown", stops: status >= 300 && status < 400 };
  // Anything else applies to every row: a proxy's page, or what was found before sending.
  const isOfRow = error instanceof Failure && error.facts.hasErrorBody;
  if (isOfRow && kind === "rejected") return { outcome: "rejected", stops: false };
  const isCut = isCancelled(error) || kind === "io";
  return { outcome: isCut && inDoubt ? "unknown" : "not_sent", stops: true };
}
