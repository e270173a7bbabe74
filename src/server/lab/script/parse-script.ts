import { isRecord } from "../../../core/json/parse.ts";
import { parseDuration } from "../../../core/times.ts";
import { asBoolean, asText, fieldReader, InvalidInput, shown } from "../read-fields.ts";
import { noTrouble, type Trouble } from "../trouble.ts";
import {
  actions,
  parseMatcher,
  parseRetryAfter,
  type RequestMatcher,
  scriptedResponse,
} from "./step-fields.ts";

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

/** Returns the steps of a script: one JSON object a line; none for `off`. Throws a InvalidInput. */
export function parseScript(text: string): readonly ScriptStep[] {
  if (text.trim() === "off") return [];
  const steps = text
    .split(/\r?\n/)
    .flatMap((line, at) => (line.trim() === "" ? [] : parseLine(line, at + 1)));
  if (steps.length === 0) throw new InvalidInput("the script has no steps; it is NDJSON, or off");
  if (steps.length > maxSteps) throw new InvalidInput(`the script has more than ${maxSteps} steps`);
  return steps;
}

function parseLine(line: string, number: number): ScriptStep {
  try {
    return parseStep(JSON.parse(line));
  } catch (error) {
    const reason = error instanceof InvalidInput ? error.message : "not valid JSON";
    throw new InvalidInput(`line ${number}: ${reason}`, { cause: error });
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
    throw new InvalidInput('a step is a JSON object such as {"on":"GET /pets","do":503}');
  const { required, optional } = fieldReader(source, fields);
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

/** Throws for a field that has no effect with what the step does. */
function checkFits(source: Readonly<Record<string, unknown>>, hasStatus: boolean): void {
  for (const name of ["retryAfter", "body"])
    if (source[name] !== undefined && !hasStatus)
      throw new InvalidInput(`${name} only goes with a status, such as "do":503`);
  if (source.over !== undefined && source.do !== "slow")
    throw new InvalidInput('over only goes with "do":"slow"');
}

function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

const asDuration = asText((text) => {
  const ms = parseDuration(text);
  return ms !== undefined && ms <= maxDurationMs ? ms : undefined;
});
