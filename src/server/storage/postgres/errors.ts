import { errorMessage, ioFailure } from "../../../core/errors.ts";

/** Thrown if the database server cannot be used at the moment: the same may succeed later. */
export class DatabaseUnavailable extends Error {
  /** Whether no response came, so that the server may have carried out the statement. */
  readonly isUnanswered: boolean;

  constructor(message: string, cause: unknown, isUnanswered: boolean) {
    super(message, { cause });
    this.isUnanswered = isUnanswered;
  }
}

/** Thrown if the database server refused a statement, as it would again. */
export class DatabaseRefusal extends Error {}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: transaction rollback, insufficient
// resources, operator intervention, object in use; read-only (a standby, after a switch).
const transientSqlStates = /^(?:40|53|57|55006|55P03|25006)/;
// The server closed the connection or fails: connection exception, shutdown or crash, session
// time-outs, system error, internal error. The statement may have been executed before that.
const unansweredSqlStates = /^(?:08|57P0[1-5]|25P0[34]|58|XX)/;

/** Returns the error of a statement to the server at `address`, by what may be done about it; no password is in its message. */
export function toDatabaseError(error: unknown, address: string): Error {
  const code = sqlState(error);
  const message = unusable(address, error);
  if (code === undefined || unansweredSqlStates.test(code))
    return new DatabaseUnavailable(message, error, true);
  return transientSqlStates.test(code)
    ? new DatabaseUnavailable(message, error, false)
    : new DatabaseRefusal(message, { cause: error });
}

/** Returns the error of a failed connection or login. */
export function connectError(error: unknown, address: string): DatabaseUnavailable {
  return new DatabaseUnavailable(unusable(address, error), error, false);
}

/** Returns whether `error` says that the server has reached its maximum of connections. */
export function isTooManyConnections(error: unknown): boolean {
  return sqlState(error) === "53300";
}

/** Returns the io Failure for a database error at the start of a store; other errors unchanged. */
export function toStartFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable) && !(error instanceof DatabaseRefusal)) return error;
  return ioFailure(error.message, error.cause, ...startHints(error.message));
}

function startHints(message: string): readonly string[] {
  if (/client password must be a/.test(message)) return ["Set PGPASSWORD in the environment."];
  if (/certificate/.test(message))
    return [
      "Add sslrootcert=FILE to the URL to trust its authority, or sslmode=no-verify to trust any.",
    ];
  return [];
}

/** Returns the SQLSTATE of an error that the server sent; undefined for other errors. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** A host name with several addresses gives an AggregateError without a message. */
function unusable(address: string, error: unknown): string {
  const reasons = error instanceof AggregateError ? error.errors : [error];
  return `the database at ${address} cannot be used: ${reasons.map(errorMessage).join("; ")}`;
}
