import { Failure } from "../../core/errors.ts";
import type { Row, RowOutcome } from "../types.ts";
import type { RunParts } from "./run.ts";

/** What came of a row: how it ended, which is recorded by now, and why the run must stop. */
export interface RowResult {
  readonly end?: RowOutcome;
  readonly stop?: { readonly error: unknown };
}

/** What a row is told with that an earlier run sent, and does not know what came of. */
export const unknownEarlier = new Failure(
  "outcome_unknown",
  "an earlier run sent this row, and its outcome is unknown: the animal may or may not have been added",
  { retryable: false },
);

/** Sends a row, and records each step before the next (contract.md, Bulk, The journal). Never rejects. */
export async function sendRow(
  row: Row,
  { add, journal }: Pick<RunParts, "add" | "journal">,
): Promise<RowResult> {
  let inDoubt = false;
  const watcher = {
    onSend(): void {
      journal.recordSend(row.index);
      inDoubt = true;
    },
    onRefused(): void {
      journal.recordRefused(row.index);
      inDoubt = false;
    },
  };
  try {
    const pet = await add(row.pet, watcher);
    return recordEnd({ outcome: "added", row, pet }, journal);
  } catch (error) {
    return failed(row, error, inDoubt, journal);
  }
}

function failed(
  row: Row,
  error: unknown,
  inDoubt: boolean,
  journal: RunParts["journal"],
): RowResult {
  const { outcome, stops } = classifyFailure(error, inDoubt);
  const stop = stops ? { stop: { error } } : {};
  if (outcome === "rejected" || outcome === "unknown") {
    const failure = error instanceof Failure ? error : unknownEarlier;
    return { ...recordEnd({ outcome, row, failure }, journal), ...stop };
  }
  // A fault says nothing of the row: what was begun stays in doubt.
  if (outcome === "not_sent" && inDoubt) return { ...recordRefused(row, journal), ...stop };
  return stop;
}

/** Records the end of a row; where it can't be recorded, it is not told either. */
function recordEnd(end: RowOutcome, journal: RunParts["journal"]): RowResult {
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

function recordRefused(row: Row, journal: RunParts["journal"]): RowResult {
  try {
    journal.recordRefused(row.index);
    return {};
  } catch (error) {
    return { stop: { error } };
  }
}

/**
 * What a row's failure means: how the row ended, and whether the run stops for it. A `fault` is
 * one of this program; what was sent by then stays in doubt.
 */
export interface FailureClass {
  readonly outcome: "rejected" | "unknown" | "not_sent" | "fault";
  readonly stops: boolean;
}

const rejected: FailureClass = { outcome: "rejected", stops: false };
const unknown: FailureClass = { outcome: "unknown", stops: false };
const refused: FailureClass = { outcome: "not_sent", stops: true };
const fault: FailureClass = { outcome: "fault", stops: true };

/**
 * Judges what `PetsApi.add` rejected with (contract.md, Bulk, Sending and Outcomes). `inDoubt` is
 * whether a send of the row began, and the service is not known to have refused it.
 */
export function classifyFailure(error: unknown, inDoubt: boolean): FailureClass {
  if (!(error instanceof Failure)) return fault;
  switch (error.kind) {
    case "usage":
    case "not_found":
      // Without a status it was found here, and holds for every row.
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
      return fault;
    default:
      throw new TypeError(`unknown kind ${String(error.kind satisfies never)}`);
  }
}
