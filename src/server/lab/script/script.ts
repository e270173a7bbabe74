import { ApiError, type ErrorCode } from "../../api/errors.ts";
import type { RouteResponse } from "../../api/response.ts";
import { noTrouble, type Trouble } from "../trouble.ts";
import { maxWaitMs, type RetryAfter, type ScriptStep } from "./parse-script.ts";
import type { ScriptedRequest } from "./step-fields.ts";

/** A step as it was written, and how many requests have taken it. */
export interface ListedStep {
  readonly taken: number;
  readonly [field: string]: unknown;
}

/** The trouble of requests in a given order (`help store`). */
export interface Script {
  /** Returns whether there are steps. */
  isInForce(): boolean;
  /** Takes the first step that is for a request and not used up; returns its trouble. */
  take(request: ScriptedRequest): Trouble | undefined;
  steps(): readonly ListedStep[];
  /** Puts other steps in force, none of them taken. */
  replace(steps: readonly ScriptStep[]): void;
  /** Begins again. */
  restart(): void;
}

/** Makes a script. `now` is the store's time in ms since the epoch. */
export function makeScript(initial: readonly ScriptStep[], now: () => number): Script {
  let steps = initial.map((step) => ({ step, taken: 0 }));
  return {
    isInForce: () => steps.length > 0,
    take: (request) => {
      const at = steps.findIndex(({ step, taken }) => taken < step.times && step.matches(request));
      const entry = steps[at];
      if (entry === undefined) return undefined;
      entry.taken += 1;
      return troubleOfStep(entry.step, at + 1, now());
    },
    steps: () => steps.map(({ step, taken }) => ({ ...step.source, taken })),
    replace: (next) => {
      steps = next.map((step) => ({ step, taken: 0 }));
    },
    restart: () => {
      for (const entry of steps) entry.taken = 0;
    },
  };
}

/** Where a scripted truncation cuts the body: a share of it. */
const cut = 0.5;

function troubleOfStep(step: ScriptStep, number: number, now: number): Trouble {
  const { status, wire, isKept, delayMs, overMs, retryAfter } = step;
  const wait = retryAfter && waitOf(retryAfter, now);
  const trouble = { ...noTrouble, name: `step ${number}`, wire, cut, isKept, delayMs, overMs };
  if (status === undefined) return trouble;
  const headers = wait && { "Retry-After": wait.text };
  return { ...trouble, response: responseOf(status, step.isHtml, headers), waitMs: wait?.ms ?? 0 };
}

/** Returns the text of Retry-After, and how long that is in ms; 0 for a text that says nothing. */
function waitOf(
  retryAfter: RetryAfter,
  now: number,
): { readonly text: string; readonly ms: number } {
  if ("text" in retryAfter) {
    const seconds = /^\d+$/.test(retryAfter.text) ? Number(retryAfter.text) : 0;
    return { text: retryAfter.text, ms: Math.min(seconds * 1000, maxWaitMs) };
  }
  const until = Math.ceil((now + retryAfter.aheadMs) / 1000) * 1000;
  return { text: new Date(until).toUTCString(), ms: until - now };
}

const codes = new Map<number, ErrorCode>([
  [429, "rate_limited"],
  [500, "internal"],
]);

function responseOf(
  status: number,
  isHtml: boolean,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  const code = codes.get(status) ?? "unavailable";
  if (!isHtml) return new ApiError(status, code, `a ${status} was scripted`, headers);
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n`;
  return { status, body, headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } };
}
