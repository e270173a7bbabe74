import { ClientGone } from "./body.ts";
import { DatabaseTrouble } from "./database-trouble.ts";
import { badRequest, Problem } from "./problem.ts";
import { isUnavailable } from "./unavailable.ts";

const unknown = "what was asked for may have been done";

/** The Problem that tells of `error`; `onFault` is told too where nobody expected it. */
export function problemOf(
  error: unknown,
  { onFault }: { readonly onFault: (error: unknown) => void },
): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ClientGone) return badRequest(error.message);
  onFault(error);
  if (!isUnavailable(error)) return new Problem(500, "internal", `the store failed; ${unknown}`);
  const isUnknown = error instanceof DatabaseTrouble && error.nature.mayBeDone === true;
  const message = `the data can't be used at the moment${isUnknown ? `; ${unknown}` : ""}`;
  return new Problem(503, "unavailable", message, { "Retry-After": "1" });
}
