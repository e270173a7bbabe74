import { errorMessage } from "../../../core/errors.ts";
import { truncate } from "../../../core/strings.ts";

const maxLength = 200;
const hidden = "***";

/** What is wrong with a server that lacks a required command. */
export const tooOld = "it is too old: it must be Redis 7, Valkey 7.2 or newer";

/** What is wrong with a server that does not speak the protocol as expected. */
export const somethingElse = "it sent something else";

/** What is wrong if the server wants a password, or another one, and what to do. */
const passwordTrouble: readonly (readonly [reply: RegExp, reason: string])[] = [
  [/^NOAUTH\b/, "it requires a password: set PETS_LIMITER_PASSWORD (NOAUTH)"],
  [/^WRONGPASS\b/, "it rejected the user or password: check PETS_LIMITER_PASSWORD (WRONGPASS)"],
];

/** Returns what is wrong with a server, for the user, on one line and without the password, which a server may echo. */
export function reasonOf(error: unknown, password: string | undefined): string {
  // What the client does not expect is an error of its own.
  if (error instanceof TypeError) return somethingElse;
  const [line = ""] = errorMessage(firstOf(error)).split("\n", 1);
  // Before Redis 6 it knows no HELLO.
  if (/unknown command/i.test(line)) return tooOld;
  const known = passwordTrouble.find(([reply]) => reply.test(line));
  if (known !== undefined) return known[1];
  return truncate(password ? line.replaceAll(password, hidden) : line, maxLength);
}

/** Returns the first of several errors: of the addresses of a name, or of the commands of a step. */
function firstOf(error: unknown): unknown {
  if (error instanceof AggregateError) return error.errors[0] ?? error;
  if (!(error instanceof Error) || !("errors" in error)) return error;
  const [first] = typeof error.errors === "function" ? Reflect.apply(error.errors, error, []) : [];
  return first ?? error;
}
