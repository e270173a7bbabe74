import type { PetsApi } from "../../client/types.ts";
import { Failure } from "../../core/errors.ts";
import type { RecordedRow } from "../database/rows.ts";
import type { Row, RowOutcome } from "../types.ts";
import type { ImportRun } from "./import-run.ts";

/** A row of the input, and its state when the run began. */
export interface KnownRow extends Pick<RecordedRow, "state"> {
  readonly row: Row;
}

/** How a send ended. */
export interface SendResult {
  /** Resolves when the outcome is recorded, with it; with undefined if the row has none. */
  readonly recorded: Promise<RowOutcome | undefined>;
  /** Whether the service, or no response from it, left the outcome unknown. */
  readonly isUnknown: boolean;
}

/** Rejects a send that may not begin now. */
export const notNow = new Error("the row may not be sent now");

/**
 * Sends a row, recording each step before the next; an error that is not about the row stops the run. `leave` waits
 * for the record of the send; if it rejects with `notNow`, nothing is sent, and this returns undefined. Never rejects.
 */
export async function sendRow(
  { row, state }: KnownRow,
  leave: (record: () => Promise<void>) => Promise<void>,
  { run, add }: { readonly run: ImportRun; readonly add: PetsApi["add"] },
): Promise<SendResult | undefined> {
  let isSent = false;
  let elsewhere: string | undefined;
  const undo = (): void => {
    isSent = false;
    run.recordUnsent(row, state).catch((error: unknown) => run.abort.stop(error));
  };
  const record = async (): Promise<void> => {
    await run.recordChange({ row, from: state, to: "sent" });
    isSent = true;
  };
  const observer = {
    onSend: () => leave(record),
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
    if (end !== undefined && elsewhere === undefined) await run.recordEnd(end);
    if (end === undefined || elsewhere === undefined) return end;
    await run.recordElsewhere(elsewhere, end, state);
    return undefined;
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
