import { ioFailure, errorMessage } from "../../../core/errors.ts";

/** What is known of a failure of the database. */
interface ErrorNature {
  /** Whether the same may work in a moment, without anybody's help. */
  readonly isTransient: boolean;
  /** Whether there was no answer. Else the server undid what it refused. */
  readonly noResponse: boolean;
  /** Whether an animal may have been kept all the same. */
  readonly mayHaveCommitted?: boolean;
}

/** The database server refused or went away. Its message names the server, and holds no password. */
export class DatabaseError extends Error {
  readonly nature: ErrorNature;

  constructor(message: string, nature: ErrorNature, cause: unknown) {
    super(message, { cause });
    this.name = "DatabaseError";
    this.nature = nature;
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: transaction rollback, insufficient
// resources, operator intervention, object in use; read-only (a standby, after a switch).
const transientCodes = /^(?:40|53|57|55006|55P03|25006)/;
// The server ended the connection, or lost its footing: connection exception, shutdown or crash,
// time-outs of a session, system error, internal error. It may have done it before.
const noResponseCodes = /^(?:08|57P0[1-5]|25P0[34]|58|XX)/;

/** What `error` means, which the server at `address`, or the way to it, gave in answer to a statement. */
export function toDatabaseError(error: unknown, address: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const code = sqlState(error);
  const noResponse = code === undefined || noResponseCodes.test(code);
  const isTransient = noResponse || transientCodes.test(code);
  const message = `the database at ${address} can't be used: ${describeDatabaseError(error)}`;
  return new DatabaseError(message, { isTransient, noResponse }, error);
}

/** The same of an error that came before anything was asked: the server may have refused the login. */
export function connectError(error: unknown, address: string): DatabaseError {
  const isAnswer =
    sqlState(error) !== undefined || isCertificateError(error) || isNoPassword(error);
  const what = isAnswer ? "used" : "reached";
  const message = `the database at ${address} can't be ${what}: ${describeDatabaseError(error)}`;
  return new DatabaseError(message, { isTransient: true, noResponse: false }, error);
}

/** Whether `error` says that the server has as many connections as it may have. */
export function isTooManyConnections(error: unknown): boolean {
  return sqlState(error) === "53300";
}

/** Whether `error` is that the server knows no prepared statement of the name, or has one already. */
export function isNotPrepared(error: unknown): boolean {
  return error instanceof DatabaseError && /^(?:26000|42P05)$/.test(sqlState(error.cause) ?? "");
}

/** Whether `error` is that no answer came: not even that the connection is over. */
export function isNoResponse(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.nature.noResponse && sqlState(error.cause) === undefined
  );
}

/** `error`, which ended the keeping of an animal: where there was no answer, it may be kept. */
export function markMaybeCommitted(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || !error.nature.noResponse) return error;
  return new DatabaseError(error.message, { ...error.nature, mayHaveCommitted: true }, error.cause);
}

/** The io Failure of what went wrong while a store was started; what the database has no part in, as it is. */
export function toStartFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return ioFailure(error.message, error.cause, ...startHints(error.cause));
}

function startHints(error: unknown): readonly string[] {
  if (isNoPassword(error)) return ["give it in the environment, as PGPASSWORD"];
  if (isCertificateError(error))
    return [
      "sslrootcert=FILE in the URL names the authority to trust; with sslmode=no-verify it need not be known",
    ];
  return [];
}

/** The five characters with which the server says what is wrong; undefined where it did not say it. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** Whether the server's certificate was not trusted, by the codes of OpenSSL and of Node. */
function isCertificateError(error: unknown): error is Error {
  const codes = /^(?:UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_CERT_)/;
  return error instanceof Error && "code" in error && codes.test(String(error.code));
}

function isNoPassword(error: unknown): boolean {
  return error instanceof Error && /client password must be a/.test(error.message);
}

// What pg says of itself, and what it means.
const pgMessages: Readonly<Record<string, string>> = {
  "timeout expired": "it gave no answer in time",
  "Connection terminated due to connection timeout": "it gave no answer in time",
  "Query read timeout": "it gave no answer in time",
  "timeout exceeded when trying to connect": "all connections to it are busy",
  "Client has encountered a connection error and is not queryable": "the connection was lost",
};

/** A name with several addresses gives an error without a text, of several. */
function describeDatabaseError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeDatabaseError).join("; ");
  if (isNoPassword(error)) return "it asks for a password, and none was given";
  // Node adds what to start it with.
  if (isCertificateError(error))
    return `its certificate is not trusted: ${error.message.split(";", 1)[0]}`;
  const text = errorMessage(error);
  return pgMessages[text] ?? text;
}
