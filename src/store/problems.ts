import { ClientGone } from "./body.ts";
import { badRequest, Problem } from "./problem.ts";
import { isUnavailable } from "./unavailable.ts";

/** The Problem that tells of `error`; `onFault` is told too where nobody expected it. */
export function problemOf(
  error: unknown,
  { onFault }: { readonly onFault: (error: unknown) => void },
): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ClientGone) return badRequest(error.message);
  onFault(error);
  if (isUnavailable(error))
    return new Problem(503, "unavailable", "the data can't be used at the moment", {
      "Retry-After": "1",
    });
  return new Problem(500, "internal", "the store failed; what was asked for may have been done");
}
