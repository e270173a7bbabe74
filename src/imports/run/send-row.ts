import { Failure } from "../../core/errors.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import type { RunParts } from "./types.ts";

/** How a send ended. */
export interface RowResult {
  /** Waits until the outcome is recorded, and returns it; undefined if the row was not sent after all. */
  readonly recorded: () => Promise<RowOutcome | undefined>;
  /** Whether the service, or no response from it, left the outcome unknown. */
  readonly isUnknown: boolean;
  /** Why the run must stop. */
  readonly stop?: { readonly error: unknown };
}

/** A row to send. */
export interface RowToSend {
  readonly row: Row;
  /** Its state before. */
  readonly state: RowState;
  /** Returns whether it may still be sent. */
  readonly isAllowed: () => boolean;
  /** Waits for the record of its send, and returns whether it may leave. */
  readonly mayLeave: (recorded: Promise<void>) => Promise<boolean>;
}

/** Reported for a row that an earlier run sent without learning its outcome. */
export const unknownEarlier = new Failure(
  "outcome_unknown",
  "sent by an earlier run; the animal may or may not have been added",
  { retryable: false },
);

/** Rejects a send that may not begin now. */
const notSent = new Error("the row may not be sent now");

/** Sends a row, recording each step before the next. Never rejects. */
export async function sendRow(
  { row, state, isAllowed, mayLeave }: RowToSend,
  { run, add }: Pick<RunParts, "run" | "add">,
): Promise<RowResult | "not_sent"> {
  let isSent = false;
  let elsewhere: string | undefined;
  let undone: Promise<void> | undefined;
  const undo = (): void => {
    isSent = false;
    undone = run.recordUnsent(row, state);
    // Its failure is seen at the end.
    undone.catch(() => {});
  };
  const observer = {
    async onSend(): Promise<void> {
      if (!isAllowed()) throw notSent;
      const recorded = run.recordSend(row, state).then(() => void (isSent = true));
      if (!(await mayLeave(recorded))) throw notSent;
    },
    onRefused: undo,
    onReply(storeId: string | undefined): void {
      if (storeId !== undefined && !run.accepts(storeId)) elsewhere = storeId;
    },
  };
  const settled = await add(row.pet, observer).then(
    (pet): Settled => ({ end: { outcome: "added", row, pet } }),
    (error: unknown): Settled => failed(row, error, isSent),
  );
  const { end, stop } = settled;
  if (end === undefined && isSent && !settled.staysInDoubt) undo();
  const record = async (): Promise<RowOutcome | undefined> => {
    await undone;
    if (end === undefined) return undefined;
    if (elsewhere === undefined) await run.recordEnd(end, isSent ? sentFrom(state) : state);
    else await Promise.all([run.recordElsewhere(elsewhere, end), run.recordUnsent(row, state)]);
    return elsewhere === undefined ? end : undefined;
  };
  const recording = record();
  recording.catch(() => {});
  if (stop?.error !== notSent) return resultOf(settled, recording);
  return recording.then(
    () => "not_sent" as const,
    (error: unknown) => ({
      ...resultOf({ stop: { error } }, recording),
    }),
  );
}

function resultOf({ end, stop }: Settled, recording: Promise<RowOutcome | undefined>): RowResult {
  return {
    recorded: () => recording,
    isUnknown: end?.outcome === "unknown",
    ...(stop !== undefined && { stop }),
  };
}

const sentFrom = (state: RowState): RowState => (state === "unsent" ? "sent" : "resent");

/** How a row ended, if it did, and why the run must stop. */
interface Settled {
  readonly end?: RowOutcome;
  readonly stop?: { readonly error: unknown };
  /** Whether its send remains recorded. */
  readonly staysInDoubt?: boolean;
}

function failed(row: Row, error: unknown, inDoubt: boolean): Settled {
  if (error === notSent) return { stop: { error } };
  const { outcome, stops } = classifyFailure(error, inDoubt);
  const stop = stops ? { stop: { error } } : {};
  if (outcome === "rejected" || outcome === "unknown") {
    const failure = error instanceof Failure ? error : unknownEarlier;
    return { end: { outcome, row, failure }, ...stop };
  }
  // An internal error says nothing about the row: a send that began stays in doubt.
  return { ...stop, staysInDoubt: outcome === "internal_error" };
}

/**
 * What a row's failure means: how the row ended, and whether the run stops. After an
 * `internal_error` a row that was sent stays in doubt.
 */
export interface FailureClass {
  readonly outcome: "rejected" | "unknown" | "not_sent" | "internal_error";
  readonly stops: boolean;
}

const rejected: FailureClass = { outcome: "rejected", stops: false };
const unknown: FailureClass = { outcome: "unknown", stops: false };
const refused: FailureClass = { outcome: "not_sent", stops: true };
const internalError: FailureClass = { outcome: "internal_error", stops: true };

/**
 * Returns what an error of `PetsApi.add` means. `inDoubt`:
 * a send of the row began, and the service is not known to have refused it.
 */
export function classifyFailure(error: unknown, inDoubt: boolean): FailureClass {
  if (!(error instanceof Failure)) return internalError;
  switch (error.kind) {
    case "usage":
    case "not_found":
      // Without a status it was found before sending, and applies to every row.
      return error.facts.status === undefined ? refused : rejected;
    case "outcome_unknown":
      return unknown;
    case "auth":
    case "rate_limited":
    case "unreachable":
    case "service":
      return refused;
    case "interrupted":
    case "terminated":
    case "io":
      return inDoubt ? { outcome: "unknown", stops: true } : refused;
    case "partial":
    case "internal":
      return internalError;
    default:
      throw new TypeError(`unknown kind ${String(error.kind satisfies never)}`);
  }
}
