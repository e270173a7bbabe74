import path from "node:path";
import { Failure, BrokenPipe, errorMessage } from "../core/errors.ts";
import { formatCount, formatPlace, isoTime } from "../core/format.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { escapeControls } from "../core/sanitize.ts";
import { truncate } from "../core/strings.ts";
import type { Environment } from "../platform/io.ts";
import { loadTheme } from "./color.ts";

type Redact = (text: string) => string;

interface FailureOptions {
  readonly json: boolean;
  /** With the stack of an internal error. */
  readonly verbose: boolean;
  readonly color: boolean;
  /** Masks API keys. */
  readonly redact?: Redact;
  readonly env?: Environment;
}

// A service may send messages of any length.
const maxMessageLength = 1000;
const maxHints = 3;
const maxAnnotations = 10;

/** Returns the exit code for what was thrown: 0 for a closed pipe, 1 for an internal error (`help exit-codes`). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof BrokenPipe) return 0;
  return error instanceof Failure ? error.exitCode : 1;
}

/** Returns the text for standard error (`help exit-codes`): what is wrong where, what happened, what to do; or JSON. */
export async function renderFailure(error: unknown, options: FailureOptions): Promise<string> {
  const { json, verbose, color, redact = String, env = {} } = options;
  if (error instanceof BrokenPipe) return "";
  const isInternal = !(error instanceof Failure);
  const failure = isInternal
    ? internalFailure(redact(errorMessage(error)), verbose)
    : redacted(error, redact);
  const stack = isInternal && verbose && error instanceof Error ? error.stack : undefined;
  const stackLines = stack === undefined ? [] : redact(stack).split("\n").map(escapeControls);
  // In JSON its details are those of the rows that were added before.
  const invalid = json && failure.facts.earlierRows ? detailLines(failure.facts) : [];
  const text = json ? lines(invalid) + asJson(failure) : await asText(failure, color);
  return lines([...stackLines, ...annotations(failure, env)]) + text;
}

/** Returns `failure` with `redact` applied to all its text, before any of it is cut off. */
function redacted(failure: Failure, redact: Redact): Failure {
  const { message, facts, hints } = failure;
  const details = facts.details?.map((each) => ({
    ...each,
    ...(each.field !== undefined && { field: redact(each.field) }),
    ...(each.name !== undefined && { name: redact(each.name) }),
    message: redact(each.message),
  }));
  const shown = {
    hints: hints.slice(0, maxHints).map(redact),
    ...(details && { details }),
    ...(facts.pet && { pet: { ...facts.pet, name: redact(facts.pet.name) } }),
  };
  return failure.with(shown, redact(message));
}

function internalFailure(message: string, verbose: boolean): Failure {
  const what = truncate(message, maxMessageLength / 2);
  return new Failure("internal", `internal error: ${what}; please report it to the maintainers`, {
    hints: verbose ? [] : ["Run the command again with `--verbose` to see where it happened."],
  });
}

async function asText({ message, facts, hints }: Failure, color: boolean): Promise<string> {
  const theme = await loadTheme(color);
  return lines([
    ...detailLines(facts),
    `${theme.error("pets:")} ${show(`${facts.pet ? `adding ${petText(facts.pet)}: ` : ""}${message}`)}`,
    ...hints.map(escapeControls),
  ]);
}

function detailLines({ details = [], moreDetails = 0 }: Failure["facts"]): readonly string[] {
  const shown = details.map(({ textLine, field, message, ...place }) => {
    const where = formatPlace(place, textLine === undefined ? "line" : "item");
    return show(`${where}: ${field === undefined ? "" : `${quotedIfOdd(field)} `}${message}`);
  });
  return moreDetails > 0 ? [...shown, `… and ${formatCount(moreDetails)} more`] : shown;
}

function petText({ name, categoryId, status }: NonNullable<Failure["facts"]["pet"]>): string {
  return `${truncate(name, 100)} (${[`category ${categoryId}`, status ?? []].flat().join(", ")})`;
}

/** Quotes a name that is empty or contains white space. */
function quotedIfOdd(field: string): string {
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
    pet: facts.pet,
    details:
      facts.earlierRows ??
      facts.details?.map(({ line, field, message: what }) => ({ line, field, message: what })),
  };
}

function asJson(failure: Failure): string {
  const { hints } = failure;
  const error = { ...errorRecord(failure), ...(hints.length > 0 && { hints }) };
  return `${stringifyExact({ error })}\n`;
}

/** Returns the lines that make GitHub Actions show invalid rows beside their lines (workflow commands). */
function annotations({ facts }: Failure, env: Environment): readonly string[] {
  const { details = [], file } = facts;
  if (env.GITHUB_ACTIONS !== "true") return [];
  const place = file === undefined ? "" : `file=${escapeProperty(inWorkspace(file, env))},`;
  return details.slice(0, maxAnnotations).map(({ line, textLine = line, field, message }) => {
    const text = field === undefined ? message : `${field} ${message}`;
    return truncate(`::error ${place}line=${textLine}::${escapeData(text)}`, maxMessageLength);
  });
}

function inWorkspace(file: string, { GITHUB_WORKSPACE: workspace = "" }: Environment): string {
  const relative = path.relative(workspace, file);
  const isInside =
    workspace !== "" && relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
  return isInside ? relative.replaceAll(path.sep, "/") : file;
}

function escapeData(text: string): string {
  const escaped = text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return escapeControls(escaped);
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const show = (text: string): string => truncate(escapeControls(text), maxMessageLength);

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join("");
