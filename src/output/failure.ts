import { Failure, BrokenPipe, errorMessage } from "../core/errors.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { truncate } from "../core/strings.ts";
import { loadTheme } from "./color.ts";
import { isoTime } from "./text/format.ts";
import { escapeControls } from "./text/sanitize.ts";

/** How a failure is to be told. */
export interface FailureOptions {
  /** As one line of JSON. */
  readonly json: boolean;
  /** With the stack of a fault in `pets`. */
  readonly verbose: boolean;
  readonly color: boolean;
}

/** Where a fault in `pets` is reported. */
const issuePage = "https://github.com/animal-adoption-store/pets/issues";

// What a service sends may be of any length; one screen of it says enough.
const longestMessage = 1000;
const longestHint = 300;
const hintsShown = 2;

/** The exit code of what was thrown: 0 for a reader that went away, 1 for a fault in `pets` (contract.md). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof BrokenPipe) return 0;
  return error instanceof Failure ? error.exitCode : 1;
}

/**
 * The text for standard error (contract.md, Exit codes): a line for each part of the input that is
 * invalid, one line on what happened, at most two on what to do next. With `json` the last line is
 * JSON, and the only one but for a stack. Nothing for a reader that went away.
 */
export async function renderFailure(error: unknown, options: FailureOptions): Promise<string> {
  if (error instanceof BrokenPipe) return "";
  const failure = error instanceof Failure ? error : internalFailure(error);
  const stack = failure === error || !options.verbose ? "" : stackOf(error);
  return (
    stack + (options.json ? renderAsJson(failure) : await renderAsText(failure, options.color))
  );
}

function internalFailure(error: unknown): Failure {
  const what = truncate(errorMessage(error), longestMessage / 2);
  const report = `please report it at ${issuePage}`;
  return new Failure("internal", `this is a fault in pets itself: ${what}; ${report}`);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error) || error.stack === undefined) return "";
  return lines(error.stack.split("\n").map(escapeControls));
}

async function renderAsText(failure: Failure, color: boolean): Promise<string> {
  const theme = await loadTheme(color);
  const details = (failure.facts.details ?? []).map(
    ({ line, field, message }) =>
      `line ${line}: ${field === undefined ? "" : `${fieldName(field)}: `}${message}`,
  );
  const hints = failure.hints.slice(0, hintsShown);
  return lines([
    ...details.map((text) => show(text, longestMessage)),
    `${theme.error("pets:")} ${show(failure.message, longestMessage)}`,
    ...hints.map((text) => show(text, longestHint)),
  ]);
}

/** In quotes where spaces or nothing at all could be taken for something else. */
function fieldName(field: string): string {
  return /^\S+$/.test(field) ? field : JSON.stringify(field);
}

/** What scripts are told of a failure (contract.md, Exit codes); what does not apply is undefined. */
export function errorRecord({ code, message, exitCode, facts }: Failure) {
  return {
    code,
    message: truncate(message, longestMessage),
    status: facts.status,
    exitCode,
    retryable: facts.retryable,
    retryAt: isoTime(facts.retryAt),
    attempts: facts.attempts,
    details: facts.details,
  };
}

function renderAsJson(failure: Failure): string {
  return lines([stringifyExact({ error: errorRecord(failure) })]);
}

const show = (text: string, longest: number): string => truncate(escapeControls(text), longest);

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");
