import { Failure, BrokenPipe, errorMessage } from "../core/errors.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { escapeControls } from "../core/sanitize.ts";
import { truncate } from "../core/strings.ts";
import type { Environment } from "../platform/io.ts";
import { annotations } from "./annotations.ts";
import { loadTheme } from "./color.ts";
import { isoTime } from "./text/format.ts";

/** How a failure is printed. */
export interface FailureOptions {
  /** As one line of JSON. */
  readonly json: boolean;
  /** With the stack of an internal error. */
  readonly verbose: boolean;
  readonly color: boolean;
  /** Masks API keys in what is printed. */
  readonly redact?: (text: string) => string;
  /** Decides whether invalid rows are annotated too. */
  readonly env?: Environment;
}

// A service may send messages of any length.
const maxMessageLength = 1000;
const maxHints = 2;

/** Returns the exit code for what was thrown: 0 for a closed pipe, 1 for an internal error (`help exit-codes`). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof BrokenPipe) return 0;
  return error instanceof Failure ? error.exitCode : 1;
}

/**
 * Returns the text for standard error (`help exit-codes`): a line for each invalid part of the
 * input, one line on what happened, and at most two on what to do next. With `json` one line of JSON,
 * after the stack if there is one. Nothing for a closed pipe.
 */
export async function renderFailure(error: unknown, options: FailureOptions): Promise<string> {
  if (error instanceof BrokenPipe) return "";
  const { redact = (text) => text } = options;
  const isInternal = !(error instanceof Failure);
  const { verbose } = options;
  const failure = redactFailure(
    isInternal ? internalFailure(error, verbose, redact) : error,
    redact,
  );
  const stack = isInternal && verbose ? redact(stackOf(error)) : "";
  const marks = lines(
    annotations(failure, options.env ?? {}).map((text) => truncate(text, maxMessageLength)),
  );
  const text = options.json ? renderAsJson(failure) : await renderAsText(failure, options.color);
  return stack + marks + text;
}

/** Returns `failure` with `redact` applied to all its text, before any of it is cut off. */
function redactFailure(failure: Failure, redact: (text: string) => string): Failure {
  const { kind, message, code, facts, hints } = failure;
  const details = facts.details?.map((each) => ({
    ...each,
    ...(each.field !== undefined && { field: redact(each.field) }),
    message: redact(each.message),
  }));
  return new Failure(kind, redact(message), {
    ...facts,
    code,
    hints: hints.slice(0, maxHints).map(redact),
    ...(details && { details }),
  });
}

function internalFailure(
  error: unknown,
  verbose: boolean,
  redact: (text: string) => string,
): Failure {
  const what = truncate(redact(errorMessage(error)), maxMessageLength / 2);
  return new Failure("internal", `internal error: ${what}; please report it to the maintainers`, {
    hints: verbose ? [] : ["Run the command again with `--verbose` to see where it happened."],
  });
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return "";
  return lines(error.stack.split("\n").map(escapeControls));
}

async function renderAsText(failure: Failure, color: boolean): Promise<string> {
  const theme = await loadTheme(color);
  const details = (failure.facts.details ?? []).map(({ line, textLine, field, message }) => {
    const place = `${textLine === undefined ? "line" : "item"} ${line}`;
    return `${place}: ${field === undefined ? "" : `${fieldName(field)} `}${message}`;
  });
  return lines([
    ...details.map((text) => show(text, maxMessageLength)),
    `${theme.error("pets:")} ${show(failure.message, maxMessageLength)}`,
    ...failure.hints.map(escapeControls),
  ]);
}

/** Quotes a name that is empty or contains white space. */
function fieldName(field: string): string {
  return /^\S+$/.test(field) ? field : JSON.stringify(field);
}

/** Returns the JSON fields of a failure (`help exit-codes`); those that do not apply are undefined. */
export function errorRecord({ code, message, exitCode, facts }: Failure) {
  return {
    code,
    message: truncate(message, maxMessageLength),
    status: facts.status,
    exitCode,
    retryable: facts.retryable,
    retryAt: isoTime(facts.retryAt),
    attempts: facts.attempts,
    details: facts.details?.map(({ textLine: _place, ...shown }) => shown) ?? facts.earlierRows,
  };
}

function renderAsJson(failure: Failure): string {
  const { hints } = failure;
  const error = { ...errorRecord(failure), ...(hints.length > 0 && { hints }) };
  return lines([stringifyExact({ error })]);
}

const show = (text: string, maxLength: number): string => truncate(escapeControls(text), maxLength);

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");
