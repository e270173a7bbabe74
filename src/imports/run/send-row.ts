import type { PetsApi } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import type { Row, RowOutcome, RowState } from "../types.ts";
import type { ImportRun } from "./import-run.ts";

/** How a send ended. */
export interface RowResult {
  /** Resolves when the outcome is recorded, with it; with undefined if the row has none. */
  readonly recorded: Promise<RowOutcome | undefined>;
  /** Whether the service, or no response from it, left the outcome unknown. */
  readonly isUnknown: boolean;
}

/** Reported for a row that an earlier run sent without learning its outcome. */
export const unknownEarlier = new Failure(
  "outcome_unknown",
  "sent by an earlier run; the animal may or may not have been added",
  { retryable: false },
);

/** Rejects a send that may not begin now. */
const notNow = new Error("the row may not be sent now");

/**
 * Sends a row, whose state was `state`, recording each step before the next; an error that is not about the row
 * stops the run. `mayLeave` waits for the record of the send, and returns whether it may leave: if not, this
 * returns undefined. Never rejects.
 */
export async function sendRow(
  { row, state }: { readonly row: Row; readonly state: RowState },
  mayLeave: (record: () => Promise<void>) => Promise<boolean>,
  { run, add }: { readonly run: ImportRun; readonly add: PetsApi["add"] },
): Promise<RowResult | undefined> {
  let isSent = false;
  let elsewhere: string | undefined;
  let undone: Promise<void> | undefined;
  const undo = (): void => {
    isSent = false;
    undone = run.recordUnsent(row, state);
    // Its failure is seen at the end.
    undone.catch(() => {});
  };
  const record = (): Promise<void> =>
    run.recordChange({ row, to: "sent" }).then(() => void (isSent = true));
  const observer = {
    async onSend(): Promise<void> {
      if (!(await mayLeave(record))) throw notNow;
    },
    onRefused: undo,
    onReply(storeId: string | undefined): void {
      if (storeId !== undefined && !run.accepts(storeId)) elsewhere = storeId;
    },
  };
  let end: RowOutcome | undefined;
  try {
    end = { outcome: "added", row, pet: await add(row.pet, observer) };
  } catch (error) {
    const { outcome, stops } = classifyFailure(error, isSent);
    if (stops && error !== notNow) run.abort.stop(error);
    if (error instanceof Failure && (outcome === "rejected" || outcome === "unknown"))
      end = { outcome, row, failure: error };
    // An internal error says nothing about the row: a send that began stays in doubt.
    else if (isSent && (outcome === "not_sent" || error === notNow)) undo();
    if (error === notNow) return undefined;
  }
  const recordEnd = async (): Promise<RowOutcome | undefined> => {
    await undone;
    if (end === undefined) return undefined;
    if (elsewhere === undefined) await run.recordEnd(end);
    else await Promise.all([run.recordElsewhere(elsewhere, end), run.recordUnsent(row, state)]);
    return elsewhere === undefined ? end : undefined;
  };
  return { recorded: recordEnd(), isUnknown: end?.outcome === "unknown" };
}

/**
 * Returns what an error of `PetsApi.add` means: how the row ended, and whether the run stops. `inDoubt`: a send
 * of the row began, and the service is not known to have refused it.
 */
export function classifyFailure(
  error: unknown,
  inDoubt: boolean,
): { outcome: "rejected" | "unknown" | "not_sent" | "internal_error"; stops: boolean } {
  const kind = error instanceof Failure ? error.kind : "internal";
  if (kind === "internal" || kind === "partial") return { outcome: "internal_error", stops: true };
  if (kind === "outcome_unknown") return { outcome: "unknown", stops: false };
  // Without a status it was found before sending, and applies to every row.
  const isOfRow = error instanceof Failure && error.facts.status !== undefined;
  if (isOfRow && (kind === "usage" || kind === "not_found"))
    return { outcome: "rejected", stops: false };
  const isCut = kind === "interrupted" || kind === "terminated" || kind === "io";
  return { outcome: isCut && inDoubt ? "unknown" : "not_sent", stops: true };
}
