import { parseDuration } from "../../../core/times.ts";
import { isRecord } from "../../../core/json/parse.ts";
import { noTrouble, type Trouble } from "../trouble.ts";
import {
  actions,
  parseMatcher,
  parseRetryAfter,
  type RequestMatcher,
  scriptedResponse,
} from "./step-fields.ts";

/** Thrown for a script that makes no sense; the message names the line. */
export class ScriptError extends Error {}

/** One step of a script: the trouble of the next requests that it matches (`help store`). */
export interface ScriptStep {
  /** The step as it was written. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly matches: RequestMatcher;
  /** How many requests it takes. */
  readonly times: number;
  /** Returns the trouble of a request at a moment of the store's time. */
  readonly trouble: (now: number) => Trouble;
}

const maxSteps = 1_000;

/** Returns the steps of a script: one JSON object a line; none for `off`. Throws a ScriptError. */
export function parseScript(text: string): readonly ScriptStep[] {
  if (text.trim() === "off") return [];
  const steps = text
    .split(/\r?\n/)
    .flatMap((line, at) => (line.trim() === "" ? [] : parseLine(line, at + 1)));
  if (steps.length === 0) throw new ScriptError("the script has no steps; it is NDJSON, or off");
  if (steps.length > maxSteps) throw new ScriptError(`the script has more than ${maxSteps} steps`);
  return steps;
}

function parseLine(line: string, number: number): ScriptStep {
  try {
    return parseStep(JSON.parse(line));
  } catch (error) {
    const reason = error instanceof ScriptError ? error.message : "not valid JSON";
    throw new ScriptError(`line ${number}: ${reason}`, { cause: error });
  }
}

const fields = ["on", "do", "times", "kept", "retryAfter", "delay", "key", "body", "over"];
const allowedOn = '"*", a method, or a method and a path without query, such as "GET /pets/*"';
const allowedDo = [...actions.keys()].map(shown).join(", ");
const allowedRetryAfter =
  'a number of seconds, "date", "date+5s", or ASCII text that is sent as it is';
const aDuration = 'a duration up to 1h, such as "500ms"';
const maxDurationMs = 3_600_000;
/** How long a slow response takes unless told otherwise, in ms. */
const defaultOverMs = 3_000;
/** Where a scripted truncation cuts the body: a share of it. */
const cut = 0.5;

function parseStep(source: unknown): ScriptStep {
  if (!isRecord(source))
    throw new ScriptError('a step is a JSON object such as {"on":"GET /pets","do":503}');
  const unknown = unknownField(source, fields);
  if (unknown !== undefined) throw new ScriptError(unknown);
  const { required, optional } = fieldReader(source);
  const { status, wire, isKept } = required("do", allowedDo, (value) => actions.get(value));
  checkFits(source, status !== undefined);
  const matches = required("on", allowedOn, parseMatcher);
  const key = optional("key", "a number from 1", asCount);
  const isHtml = optional("body", '"html"', (value) => value === "html" || undefined);
  const retryAfter = optional("retryAfter", allowedRetryAfter, parseRetryAfter);
  const trouble = {
    ...noTrouble,
    cut,
    wire,
    isKept: optional("kept", "true or false", asBoolean) ?? isKept,
    delayMs: optional("delay", aDuration, asDuration) ?? 0,
    overMs: optional("over", aDuration, asDuration) ?? defaultOverMs,
  };
  return {
    source,
    matches: (request) => (key === undefined || key - 1 === request.key) && matches(request),
    times: optional("times", "a whole number from 1", asCount) ?? 1,
    trouble: (now) => {
      if (status === undefined) return trouble;
      const { text, waitMs } = retryAfter?.(now) ?? { text: undefined, waitMs: 0 };
      return { ...trouble, response: scriptedResponse(status, isHtml === true, text), waitMs };
    },
  };
}

/** Returns what says that an object has a field that none of `fields` is; undefined if it has none. */
export function unknownField(
  source: Readonly<Record<string, unknown>>,
  allowed: readonly string[],
): string | undefined {
  const unknown = Object.keys(source).find((name) => !allowed.includes(name));
  return unknown && `unknown field ${shown(unknown)}; fields are ${allowed.join(", ")}`;
}

/** Throws for a field that has no effect with what the step does. */
function checkFits(source: Readonly<Record<string, unknown>>, hasStatus: boolean): void {
  for (const name of ["retryAfter", "body"])
    if (source[name] !== undefined && !hasStatus)
      throw new ScriptError(`${name} only goes with a status, such as "do":503`);
  if (source.over !== undefined && source.do !== "slow")
    throw new ScriptError('over only goes with "do":"slow"');
}

/** Returns functions that parse a field of a step, and throw a ScriptError that says what is allowed. */
function fieldReader(source: Readonly<Record<string, unknown>>) {
  const required = <T>(
    name: string,
    allowed: string,
    parse: (value: unknown) => T | undefined,
  ): T => {
    const parsed = parse(source[name]);
    if (parsed !== undefined) return parsed;
    throw new ScriptError(`${name} must be ${allowed}, not ${shown(source[name])}`);
  };
  const optional = <T>(...field: Parameters<typeof required<T>>): T | undefined =>
    source[field[0]] === undefined ? undefined : required(...field);
  return { required, optional };
}

function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

function asBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function asDuration(value: unknown): number | undefined {
  const ms = typeof value === "string" ? parseDuration(value) : undefined;
  return ms !== undefined && ms <= maxDurationMs ? ms : undefined;
}

/** Returns a value as it was written, cut after 60 characters. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
