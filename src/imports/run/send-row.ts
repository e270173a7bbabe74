import { Failure } from "../../core/errors.ts";
import type { Row, RowOutcome } from "../types.ts";
import type { RunJournal, RunParts } from "./types.ts";

/** The result of a send: how the row ended, already recorded, and why the run must stop. */
export interface RowResult {
  readonly end?: RowOutcome;
  readonly stop?: { readonly error: unknown };
}

/** Reported for a row that an earlier run sent without learning its outcome. */
export const unknownEarlier = new Failure(
  "outcome_unknown",
  "sent by an earlier run with an unknown outcome: the animal may or may not have been added",
  { retryable: false },
);

/** Sends a row, recording each step before the next. Never rejects. */
export async function sendRow(
  row: Row,
  { add, journal, stores }: Pick<RunParts, "add" | "journal" | "stores">,
): Promise<RowResult> {
  let inDoubt = false;
  let elsewhere: string | undefined;
  const observer = {
    onSend(): void {
      journal.recordSend(row.index);
      inDoubt = true;
    },
    onRefused(): void {
      journal.recordRefused(row.index);
      inDoubt = false;
    },
    onReply(storeId: string | undefined): void {
      if (storeId !== undefined && !stores.accepts(storeId)) elsewhere = storeId;
    },
  };
  const record = (end: RowOutcome): RowResult =>
    elsewhere === undefined
      ? recordEnd(end, journal)
      : recordElsewhere(end, elsewhere, { journal, stores });
  try {
    const pet = await add(row.pet, observer);
    return record({ outcome: "added", row, pet });
  } catch (error) {
    return failed(row, error, inDoubt, { journal, record });
  }
}

/** Records for the store that answered how the row ended there; for the run's own store it is unsent. */
function recordElsewhere(
  end: RowOutcome,
  storeId: string,
  { journal, stores }: Pick<RunParts, "journal" | "stores">,
): RowResult {
  const { row, outcome } = end;
  try {
    stores.recordElsewhere(storeId, row.index, outcome, "pet" in end ? end.pet.id : undefined);
  } catch (error) {
    return { stop: { error } };
  }
  return recordRefused(row, journal);
}

/** How the outcome of a row is recorded. */
interface Recording {
  readonly journal: RunJournal;
  readonly record: (end: RowOutcome) => RowResult;
}

function failed(
  row: Row,
  error: unknown,
  inDoubt: boolean,
  { journal, record }: Recording,
): RowResult {
  const { outcome, stops } = classifyFailure(error, inDoubt);
  const stop = stops ? { stop: { error } } : {};
  if (outcome === "rejected" || outcome === "unknown") {
    const failure = error instanceof Failure ? error : unknownEarlier;
    return { ...record({ outcome, row, failure }), ...stop };
  }
  // An internal error says nothing about the row: a send that began stays in doubt.
  if (outcome === "not_sent" && inDoubt) return { ...recordRefused(row, journal), ...stop };
  return stop;
}

/** Records the outcome of a row. If that fails, the outcome is not reported either. */
function recordEnd(end: RowOutcome, journal: RunJournal): RowResult {
  try {
    journal.recordOutcome(
      end.row.index,
      end.outcome,
      end.outcome === "added" ? end.pet.id : undefined,
    );
    return { end };
  } catch (error) {
    return { stop: { error } };
  }
}

function recordRefused(row: Row, journal: RunJournal): RowResult {
  try {
    journal.recordRefused(row.index);
    return {};
  } catch (error) {
    return { stop: { error } };
  }
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
