import { errorMessage, ioFailure } from "../../../core/errors.ts";

/**
 * Thrown if the database server refused or can't be reached. Its message names the server, and contains
 * no password.
 */
export class DatabaseError extends Error {
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  /** Whether the server did not answer. If it did, it has rolled back. */
  readonly isUnanswered: boolean;
  /** Whether an animal may have been stored despite the error. */
  mayHaveCommitted = false;

  constructor(what: string, cause: unknown, isTransient: boolean, isUnanswered: boolean) {
    super(`${what}: ${describeDatabaseError(cause)}`, { cause });
    this.name = "DatabaseError";
    this.isTransient = isTransient;
    this.isUnanswered = isUnanswered;
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: transaction rollback, insufficient
// resources, operator intervention, object in use; read-only (a standby, after a switch).
const transientSqlStates = /^(?:40|53|57|55006|55P03|25006)/;
// The server closed the connection or is in trouble: connection exception, shutdown or crash, session
// time-outs, system error, internal error. The statement may have been executed before that.
const noResponseSqlStates = /^(?:08|57P0[1-5]|25P0[34]|58|XX)/;

/** Returns the DatabaseError for the error of a statement to the server at `address`. */
export function toDatabaseError(error: unknown, address: string): DatabaseError {
  const code = sqlState(error);
  const isUnanswered = code === undefined || noResponseSqlStates.test(code);
  const isTransient = isUnanswered || transientSqlStates.test(code);
  const what = `the database at ${address} cannot be used`;
  return new DatabaseError(what, error, isTransient, isUnanswered);
}

/** Returns the DatabaseError for a failed connection or login. */
export function connectError(error: unknown, address: string): DatabaseError {
  const isAnswer =
    sqlState(error) !== undefined || isCertificateError(error) || isNoPassword(error);
  const what = `the database at ${address} cannot be ${isAnswer ? "used" : "reached"}`;
  return new DatabaseError(what, error, true, false);
}

/** Returns whether `error` says that the server has reached its maximum of connections. */
export function isTooManyConnections(error: unknown): boolean {
  return sqlState(error) === "53300";
}

/** Returns whether `error` means that there was no answer, not even the end of the connection. */
export function isNoResponse(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.isUnanswered && sqlState(error.cause) === undefined
  );
}

/** Returns the io Failure for a database error at the start of a store; other errors unchanged. */
export function toStartFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return ioFailure(error.message, error.cause, ...startHints(error.cause));
}

function startHints(error: unknown): readonly string[] {
  if (isNoPassword(error)) return ["set PGPASSWORD in the environment"];
  if (isCertificateError(error))
    return [
      "add sslrootcert=FILE to the URL to trust its authority, or sslmode=no-verify to trust any",
    ];
  return [];
}

/** Returns the SQLSTATE of an error that the server sent; undefined for other errors. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** Returns whether the server's certificate was not trusted, by the codes of OpenSSL and Node. */
function isCertificateError(error: unknown): error is Error {
  const codes = /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_CERT_)/;
  return error instanceof Error && "code" in error && codes.test(String(error.code));
}

function isNoPassword(error: unknown): boolean {
  return error instanceof Error && /client password must be a/.test(error.message);
}

// pg's own messages, and what they mean.
const pgMessages: Readonly<Record<string, string>> = {
  "timeout expired": "it did not respond in time",
  "Connection terminated due to connection timeout": "it did not respond in time",
  "Query read timeout": "it did not respond in time",
  "timeout exceeded when trying to connect": "all connections to it are busy",
  "Client has encountered a connection error and is not queryable": "the connection was lost",
};

/** Returns a message for users. A host name with several addresses gives an AggregateError without a message. */
function describeDatabaseError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeDatabaseError).join("; ");
  if (isNoPassword(error)) return "it asks for a password, and none was given";
  // Node appends advice about its own options.
  if (isCertificateError(error))
    return `its certificate is not trusted: ${error.message.split(";", 1)[0]}`;
  const text = errorMessage(error);
  return pgMessages[text] ?? text;
}
