import * as z from "zod/mini";
import { isRecord } from "../../core/json/parse.ts";
import { shown } from "../../core/syntax.ts";
import { parseDuration } from "../../core/times.ts";
import { ApiError, badRequest, type ErrorCode } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import type { StoreShapes } from "../api/store-shapes.ts";
import type { Arrived, Fault } from "../http/exchange.ts";
import { maxDelayMs } from "./fault-spec.ts";
import { parsed, readInput } from "./read-input.ts";

/** What a script knows of a request; `key` is the number of its key among the store's keys, from 0. */
type ScriptedRequest = Pick<Arrived, "method" | "path"> & { readonly key: number | undefined };

/** One step of a script: the fault of the next requests that it matches (`help store`). */
export interface ScriptStep {
  /** The step as it was written. */
  readonly source: Readonly<Record<string, unknown>> & Pick<ListedStep, "on" | "do">;
  readonly matches: (request: ScriptedRequest) => boolean;
  /** How many requests it takes. */
  readonly times: number;
  /** Returns the fault of a request at a moment of the store's time. */
  readonly fault: (now: number) => Fault;
}

/** A step as it was written, and how many requests have taken it. */
export type ListedStep = StoreShapes["script"]["steps"][number];

/** The faults of requests in a given order (`help store`). */
export type Script = ReturnType<typeof makeScript>;

/** Makes a script. `now` is the store's time in ms since the epoch. */
export function makeScript(initial: readonly ScriptStep[], now: () => number) {
  const fresh = (given: readonly ScriptStep[]) => given.map((step) => ({ ...step, taken: 0 }));
  let steps = fresh(initial);
  return {
    /** Takes the first step that is for a request and not used up; returns its fault. */
    take: (request: ScriptedRequest): Fault | undefined => {
      const at = steps.findIndex((each) => each.taken < each.times && each.matches(request));
      const step = steps[at];
      if (step === undefined) return undefined;
      step.taken += 1;
      return { ...step.fault(now()), name: `step ${at + 1}` };
    },
    steps: (): readonly ListedStep[] => steps.map(({ source, taken }) => ({ ...source, taken })),
    replace: (next: readonly ScriptStep[]): void => void (steps = fresh(next)),
    /** Begins again with the same steps. */
    restart: (): void => void (steps = fresh(steps)),
  };
}

const maxSteps = 1_000;

/** Returns the steps of a script: one JSON object a line; none for `off`. Throws an ApiError (400). */
export function parseScript(text: string): readonly ScriptStep[] {
  if (text.trim() === "off") return [];
  const steps = text.split(/\r?\n/).flatMap((line, at) => {
    try {
      return line.trim() === "" ? [] : [parseStep(line)];
    } catch (error) {
      const reason = error instanceof ApiError ? error.message : "not valid JSON";
      throw badRequest(`line ${at + 1}: ${reason}`);
    }
  });
  if (steps.length === 0) throw badRequest("the script has no steps; it is NDJSON, or off");
  if (steps.length > maxSteps) throw badRequest(`the script has more than ${maxSteps} steps`);
  return steps;
}

const wires = ["reset", "truncate", "hang", "slow", "close", "interim"] as const;
const actions = ["ok", 429, 500, 502, 503, 504, ...wires] as const;

const aCount = (allowed: string) => z.int(allowed).check(z.gte(1, allowed));
const aDuration = parsed({
  parse: (text) => {
    const ms = parseDuration(text);
    return ms !== undefined && ms <= maxDelayMs ? ms : undefined;
  },
  allowed: () => 'a duration up to 1h, such as "500ms"',
});
const allowedRetryAfter =
  'a number of seconds, "date", "date+5s", or ASCII text that is sent as it is';

const stepFields = z.strictObject({
  on: parsed({
    parse: parseMatcher,
    allowed: () => '"*", a method, or a method and a path without query, such as "GET /pets/*"',
  }),
  do: z.literal(actions, actions.map(shown).join(", ")),
  times: z.optional(aCount("an integer from 1")),
  kept: z.optional(z.boolean("true or false")),
  retryAfter: z.optional(
    z.union(
      [
        z.number().check(z.gte(0, allowedRetryAfter), z.lte(1e15, allowedRetryAfter)),
        z.string().check(z.regex(/^[\x20-\x7e]{0,200}$/, allowedRetryAfter)),
      ],
      allowedRetryAfter,
    ),
  ),
  delay: z.optional(aDuration),
  key: z.optional(aCount("an integer from 1")),
  body: z.optional(z.literal("html", '"html"')),
  over: z.optional(aDuration),
});

type StepFields = z.output<typeof stepFields>;

/** Returns a key that an object of plain values has twice in its JSON, where the last would count. */
function repeatedKey(json: string): string | undefined {
  const texts = json.matchAll(/("(?:[^"\\]|\\.)*")\s*(:?)/g);
  const keys = [...texts].flatMap(([, text = "", colon]) => (colon ? [JSON.parse(text)] : []));
  return keys.find((key, at) => keys.indexOf(key) < at);
}

function parseStep(line: string): ScriptStep {
  const source: unknown = JSON.parse(line);
  if (!isRecord(source))
    throw badRequest('a step is a JSON object such as {"on":"GET /pets","do":503}');
  const step = readInput(stepFields, source);
  const repeated = repeatedKey(line);
  if (repeated !== undefined) throw badRequest(`${repeated} is given twice`);
  checkFits(step);
  const { on, do: action, times = 1, delay: delayMs = 0, over: overMs = 3_000, key } = step;
  const isStatus = typeof action === "number";
  const { kept: isKept = !(isStatus || action === "reset" || action === "hang") } = step;
  const wire = isStatus || action === "ok" ? undefined : action;
  const fault = { cut: 0.5, wire, isKept, delayMs, overMs };
  return {
    source: { ...source, on: String(source.on), do: action },
    times,
    matches: (request) => (key === undefined || key - 1 === request.key) && on(request),
    fault: (now) =>
      isStatus ? { ...fault, response: scriptedResponse(action, step, now) } : fault,
  };
}

/** Throws an ApiError for a field that has no effect with what the step does. */
function checkFits(step: StepFields): void {
  for (const name of ["retryAfter", "body"] as const)
    if (step[name] !== undefined && typeof step.do !== "number")
      throw badRequest(`${name} only goes with a status, such as "do":503`);
  if (step.over !== undefined && step.do !== "slow")
    throw badRequest('over only goes with "do":"slow"');
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns the matcher of a step's `on`; in a path, `*` is any segment, and /v1 may be left out. */
function parseMatcher(on: string): ScriptStep["matches"] | undefined {
  const [method = "", path, ...others] = on.split(" ");
  if (others.length > 0 || !(methods.has(method) || on === "*")) return undefined;
  if (path === undefined) return (request) => method === "*" || method === request.method;
  if (!/^\/[^?#\s]*$/.test(path)) return undefined;
  const wanted = segmentsOf(path);
  return (request) => {
    const segments = segmentsOf(request.path);
    const fits = (each: string, at: number): boolean =>
      each === segments[at] || (each === "*" && segments[at] !== "");
    return method === request.method && segments.length === wanted.length && wanted.every(fits);
  };
}

/** Leaves those of the base path out. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\/v1(?=\/|$)/, "").split("/");
}

/** The longest wait that is sent as a date, some 31 years. */
const maxAheadMs = 1e12;

function retryText(value: string | number, now: number): string {
  const text = value === "date" ? "date+2s" : String(value);
  const aheadMs = text.startsWith("date+") ? parseDuration(text.slice(5)) : undefined;
  if (aheadMs === undefined || aheadMs > maxAheadMs) return text;
  // From the response's own Date, in whole seconds.
  const seconds = Math.floor(now / 1_000) + Math.ceil(aheadMs / 1_000);
  return new Date(seconds * 1_000).toUTCString();
}

const codes: Readonly<Record<number, ErrorCode>> = { 429: "rate_limited", 500: "internal" };

/** Returns an Error body, or the page of a proxy. */
function scriptedResponse(
  status: number,
  { body: format, retryAfter }: StepFields,
  now: number,
): RouteResponse {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { "Retry-After": retryText(retryAfter, now) };
  const code = codes[status] ?? "unavailable";
  if (format === undefined) return new ApiError(status, code, `a ${status} was scripted`, headers);
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n`;
  return { status, body, headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } };
}
