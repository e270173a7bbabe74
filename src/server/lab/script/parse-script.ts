import { parseDuration } from "../../../core/duration.ts";
import { ScriptError } from "./script-error.ts";
import { isWire, parseMatcher, type RequestMatcher, scriptWires, statuses } from "./step-fields.ts";
import type { WireFault } from "../../http/exchange.ts";

/** What `Retry-After` says: text as it is sent, or an HTTP date so many ms ahead. */
export type RetryAfter = { readonly text: string } | { readonly aheadMs: number };

/** One step of a script: the trouble of the next requests that it matches (`help store`). */
export interface ScriptStep {
  /** The step as it was written. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly matches: RequestMatcher;
  /** How many requests it takes. */
  readonly times: number;
  /** The status that is sent instead of the response. */
  readonly status: number | undefined;
  readonly isHtml: boolean;
  readonly retryAfter: RetryAfter | undefined;
  readonly wire: WireFault | undefined;
  readonly isKept: boolean;
  readonly delayMs: number;
  readonly overMs: number;
}

const maxSteps = 1_000;

/** Returns the steps of a script: one JSON object a line; none for `off`. Throws a ScriptError. */
export function parseScript(text: string): readonly ScriptStep[] {
  if (text.trim() === "off") return [];
  const lines = text.split(/\r?\n/).map((line, at) => ({ line: line.trim(), number: at + 1 }));
  const steps = lines
    .filter(({ line }) => line !== "")
    .map(({ line, number }) => parseLine(line, number));
  if (steps.length === 0) throw new ScriptError("the script has no steps; it is NDJSON, or off");
  if (steps.length > maxSteps) throw new ScriptError(`the script has more than ${maxSteps} steps`);
  return steps;
}

function parseLine(line: string, number: number): ScriptStep {
  try {
    return parseStep(parseObject(line));
  } catch (error) {
    if (error instanceof ScriptError) throw new ScriptError(`line ${number}: ${error.message}`);
    throw error;
  }
}

function parseObject(line: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new ScriptError("not valid JSON");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw new ScriptError('a step is a JSON object such as {"on":"GET /pets","do":503}');
}

const fields = new Set(["on", "do", "times", "kept", "retryAfter", "delay", "key", "body", "over"]);
/** How long a slow response takes unless told otherwise, in ms. */
const defaultOverMs = 3_000;

function parseStep(source: Readonly<Record<string, unknown>>): ScriptStep {
  const unknown = Object.keys(source).find((name) => !fields.has(name));
  if (unknown !== undefined)
    throw new ScriptError(
      `unknown field ${JSON.stringify(unknown)}; fields are ${[...fields].join(", ")}`,
    );
  const { do: action } = source;
  const status = statuses.find((each) => each === action);
  if (status === undefined && action !== "ok" && !isWire(action))
    throw new ScriptError(
      `do must be "ok", ${[...statuses, ...scriptWires.map((wire) => JSON.stringify(wire))].join(", ")}, not ${shown(action)}`,
    );
  checkFits(source, status !== undefined);
  const wire = isWire(action) ? action : undefined;
  const isLost = status !== undefined || wire === "reset" || wire === "hang";
  return {
    source,
    matches: parseMatcher(source.on, read(source.key, "key", "a number from 1", isCount)),
    times: read(source.times, "times", "a whole number from 1", isCount) ?? 1,
    status,
    isHtml: read(source.body, "body", '"html"', isHtmlWord) !== undefined,
    retryAfter: parseRetryAfter(source.retryAfter),
    wire,
    isKept: read(source.kept, "kept", "true or false", isBoolean) ?? !isLost,
    delayMs: readDuration(source.delay, "delay") ?? 0,
    overMs: readDuration(source.over, "over") ?? defaultOverMs,
  };
}

/** Throws for a field that has no effect with what the step does. */
function checkFits(source: Readonly<Record<string, unknown>>, hasStatus: boolean): void {
  for (const name of ["retryAfter", "body"])
    if (source[name] !== undefined && !hasStatus)
      throw new ScriptError(`${name} only goes with a status, such as "do":503`);
  if (source.over !== undefined && source.do !== "slow")
    throw new ScriptError('over only goes with "do":"slow"');
}

function read<Value>(
  value: unknown,
  name: string,
  allowed: string,
  fits: (value: unknown) => value is Value,
): Value | undefined {
  if (value === undefined || fits(value)) return value;
  throw new ScriptError(`${name} must be ${allowed}, not ${shown(value)}`);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function isHtmlWord(value: unknown): value is "html" {
  return value === "html";
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

const maxDurationMs = 3_600_000;

function readDuration(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  if (ms !== undefined && ms <= maxDurationMs) return ms;
  throw new ScriptError(
    `${name} must be a duration up to 1h, such as "500ms", not ${shown(value)}`,
  );
}

/** How far ahead a date is unless told otherwise, in ms. */
const defaultAheadMs = 2_000;

/** The longest wait that counts, some 31 years, so that every moment is a valid Date. */
export const maxWaitMs = 1e12;

function parseRetryAfter(value: unknown): RetryAfter | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER)
    return { text: String(value) };
  if (typeof value === "string") {
    if (value === "date") return { aheadMs: defaultAheadMs };
    const aheadMs = value.startsWith("date+") ? parseDuration(value.slice(5)) : undefined;
    if (aheadMs !== undefined && aheadMs <= maxWaitMs) return { aheadMs };
    if (/^[\x20-\x7e]{0,200}$/.test(value)) return { text: value };
  }
  throw new ScriptError(
    `retryAfter must be a number of seconds, "date", "date+5s", or ASCII text that is sent as it is, not ${shown(value)}`,
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
