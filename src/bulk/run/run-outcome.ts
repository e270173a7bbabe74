import { Failure } from "../../core/errors.ts";

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
