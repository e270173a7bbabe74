import { sqliteCode } from "../../platform/sqlite-lock.ts";
import { DatabaseError } from "../storage/postgres/errors.ts";

/** The values of `code` in an Error body (store.md, Answers). */
export type ErrorCode =
  | "bad_request"
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "gone"
  | "rate_limited"
  | "key_banned"
  | "unavailable"
  | "internal";

/** An error that is sent as an Error body: thrown while a request is handled, caught in the router. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  /** `headers` are sent in addition to those of every reply. */
  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }

  /** The Error body (api.md, Error), as JSON text. */
  get body(): string {
    const { code, message, status } = this;
    return JSON.stringify({ code, message, status });
  }
}

/** Thrown if the client disconnected before its request was complete: nobody reads the reply. */
export class ClientDisconnected extends Error {}

/** Returns a 400, whose message names the field and what is allowed. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, "bad_request", message);
}

/** Returns a 404. */
export function notFound(message: string): ApiError {
  return new ApiError(404, "not_found", message);
}

const maybeDone = "the request may have been carried out";

/** Returns the ApiError to send for `error`, and reports an unexpected error to `onFault`. */
export function toApiError(error: unknown, onFault: (error: unknown) => void): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ClientDisconnected) return badRequest(error.message);
  onFault(error);
  if (!isTransient(error)) return new ApiError(500, "internal", `the store failed; ${maybeDone}`);
  const isUnknown = error instanceof DatabaseError && error.nature.mayHaveCommitted === true;
  const message = `the data can't be used at the moment${isUnknown ? `; ${maybeDone}` : ""}`;
  return new ApiError(503, "unavailable", message, { "Retry-After": "1" });
}

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL
// (https://sqlite.org/rescode.html).
const transientSqliteCodes: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 13]);

/**
 * Returns whether the database refused and stored nothing for a temporary reason: busy, out of memory,
 * read-only, a full disk. An I/O error is not one: the data may have been stored.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.nature.isTransient;
  return transientSqliteCodes.has(sqliteCode(error));
}
