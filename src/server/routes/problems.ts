import { ClientDisconnected } from "../http/body.ts";
import { DatabaseError } from "../storage/postgres/errors.ts";
import { badRequest, ApiError } from "./errors.ts";
import { isTransient } from "./unavailable.ts";

const unknown = "what was asked for may have been done";

/** The Problem that tells of `error`; `onFault` is told too where nobody expected it. */
export function toApiError(
  error: unknown,
  { onFault }: { readonly onFault: (error: unknown) => void },
): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ClientDisconnected) return badRequest(error.message);
  onFault(error);
  if (!isTransient(error)) return new ApiError(500, "internal", `the store failed; ${unknown}`);
  const isUnknown = error instanceof DatabaseError && error.nature.mayHaveCommitted === true;
  const message = `the data can't be used at the moment${isUnknown ? `; ${unknown}` : ""}`;
  return new ApiError(503, "unavailable", message, { "Retry-After": "1" });
}
