import { ioFailure } from "../errors.ts";

/** What is known of a failure of the database. */
interface Nature {
  /** Whether the same may work in a moment, without anybody's help. */
  readonly isPassing: boolean;
  /** Whether there was no answer. Else the server undid what it refused. */
  readonly isLost: boolean;
  /** Whether an animal may have been kept all the same. */
  readonly mayBeDone?: boolean;
}

/** The database server refused or went away. Its message names the server, and holds no password. */
export class DatabaseTrouble extends Error {
  readonly nature: Nature;

  constructor(message: string, nature: Nature, cause: unknown) {
    super(message, { cause });
    this.name = "DatabaseTrouble";
    this.nature = nature;
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: transaction rollback, insufficient
// resources, operator intervention, object in use; read-only (a standby, after a switch).
const passingCodes = /^(?:40|53|57|55006|55P03|25006)/;
// The server ended the connection, or lost its footing: connection exception, shutdown or crash,
// time-outs of a session, system error, internal error. It may have done it before.
const lostCodes = /^(?:08|57P0[1-5]|25P0[34]|58|XX)/;

/** What `error` means, which the server at `address`, or the way to it, gave in answer to a statement. */
export function troubleOf(error: unknown, address: string): DatabaseTrouble {
  if (error instanceof DatabaseTrouble) return error;
  const code = sqlState(error);
  const isLost = code === undefined || lostCodes.test(code);
  const isPassing = isLost || passingCodes.test(code);
  const message = `the database at ${address} can't be used: ${describe(error)}`;
  return new DatabaseTrouble(message, { isPassing, isLost }, error);
}

/** The same of an error that came before anything was asked. */
export function notReached(error: unknown, address: string): DatabaseTrouble {
  const message = `the database at ${address} can't be reached: ${describe(error)}`;
  return new DatabaseTrouble(message, { isPassing: true, isLost: false }, error);
}

/** `error`, which ended the keeping of an animal: where there was no answer, it may be kept. */
export function outcomeOf(error: unknown): unknown {
  if (!(error instanceof DatabaseTrouble) || !error.nature.isLost) return error;
  return new DatabaseTrouble(error.message, { ...error.nature, mayBeDone: true }, error.cause);
}

/** The io Failure of what went wrong while a store was started; what the database has no part in, as it is. */
export function failureOf(error: unknown): unknown {
  return error instanceof DatabaseTrouble ? ioFailure(error.message, error.cause) : error;
}

/** The five characters with which the server says what is wrong; undefined where it did not say it. */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("severity" in error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** A name with several addresses gives an error without a text, of several. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join("; ");
  return error instanceof Error ? error.message : String(error);
}
