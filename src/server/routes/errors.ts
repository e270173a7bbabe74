import { sqliteCode } from "../../platform/sqlite-lock.ts";
import { ClientDisconnected } from "../http/body.ts";
import { DatabaseError } from "../storage/postgres/errors.ts";

/** The values of `code` in an Error body (store.md, Answers). */
export type ProblemCode =
  | "bad_request"
  | "unauthorized"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "gone"
  | "rate_limited"
  | "key_banned"
  | "unavailable"
  | "internal";

/** A request that ends in an Error body: thrown anywhere on its way, answered in one place. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;

  /** `headers` go into the reply beside those that every reply carries. */
  constructor(
    status: number,
    code: ProblemCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Problem";
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

/** A 400: what is wrong, naming the field and what is allowed. */
export function badRequest(message: string): ApiError {
  return new ApiError(400, "bad_request", message);
}

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

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_FULL
// (https://sqlite.org/rescode.html).
const passing: ReadonlySet<number | undefined> = new Set([5, 6, 7, 8, 13]);

/**
 * Whether the database refused and kept nothing, for a reason that may pass: busy, out of memory,
 * read-only, a full disk. After an I/O error it may have kept what it was given, so that is none.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.nature.isTransient;
  return passing.has(sqliteCode(error));
}
