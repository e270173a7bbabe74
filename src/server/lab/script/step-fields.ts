import { parseDuration } from "../../../core/times.ts";
import { ApiError, type ErrorCode } from "../../api/errors.ts";
import type { RouteResponse } from "../../api/response.ts";
import type { WireFault } from "../../http/exchange.ts";

/** What a step does: a status that is sent instead of the response, or trouble on the wire. */
interface Action {
  readonly status?: number;
  readonly wire?: WireFault;
  /** Whether the animal of a POST is stored unless told otherwise. */
  readonly isKept: boolean;
}

/** What a step may do, by the value of `do`. */
export const actions = new Map<unknown, Action>([
  ["ok", { isKept: true }],
  ...[429, 500, 502, 503, 504].map((status) => [status, { status, isKept: false }] as const),
  ["reset", { wire: "reset", isKept: false }],
  ["truncate", { wire: "truncate", isKept: true }],
  ["hang", { wire: "hang", isKept: false }],
  ["slow", { wire: "slow", isKept: true }],
  ["close", { wire: "close", isKept: true }],
  ["interim", { wire: "interim", isKept: true }],
]);

/** What a script knows of a request. */
export interface ScriptedRequest {
  readonly method: string;
  /** As it was sent, /v1 included. */
  readonly path: string;
  /** The number of its key among the store's keys, from 0. */
  readonly key: number | undefined;
}

/** Returns whether a step is for a request. */
export type RequestMatcher = (request: ScriptedRequest) => boolean;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Returns the matcher of a step's `on`: `*`, a method, or a method and a path, with /v1 or without, in which `*` is
 * any segment. Returns undefined for another value.
 */
export function parseMatcher(on: unknown): RequestMatcher | undefined {
  const [method = "", path, ...others] = typeof on === "string" ? on.split(" ") : [];
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

/** Returns the segments of a path, without those of the base path. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/^\/v1(?=\/|$)/, "").split("/");
}

/** The longest wait that counts, some 31 years, so that every moment is a valid Date. */
const maxStepWaitMs = 1e12;
/** How far ahead a date is unless told otherwise, in ms. */
const defaultAheadMs = 2_000;

/**
 * Returns what a step's `retryAfter` says at a moment of the store's time, and how long that is in ms, 0 if it says
 * nothing; undefined for an invalid one.
 */
export function parseRetryAfter(value: unknown) {
  if (value === "date") return (now: number) => dateAhead(now, defaultAheadMs);
  const isNumber = typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
  const text = isNumber ? String(value) : value;
  if (typeof text !== "string" || !/^[\x20-\x7e]{0,200}$/.test(text)) return undefined;
  const aheadMs = text.startsWith("date+") ? parseDuration(text.slice(5)) : undefined;
  if (aheadMs !== undefined && aheadMs <= maxStepWaitMs)
    return (now: number) => dateAhead(now, aheadMs);
  const seconds = /^\d+$/.test(text) ? Number(text) : 0;
  return () => ({ text, waitMs: Math.min(seconds * 1_000, maxStepWaitMs) });
}

/** Returns the moment so far ahead of the response's own Date, from which clients count; both are whole seconds. */
function dateAhead(now: number, aheadMs: number) {
  const until = (Math.floor(now / 1_000) + Math.ceil(aheadMs / 1_000)) * 1_000;
  return { text: new Date(until).toUTCString(), waitMs: until - now };
}

const codes: Readonly<Record<number, ErrorCode>> = { 429: "rate_limited", 500: "internal" };

/** Returns a scripted response: an Error body, or the page of a proxy. */
export function scriptedResponse(
  status: number,
  isHtml: boolean,
  retryAfter: string | undefined,
): RouteResponse {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { "Retry-After": retryAfter };
  const code = codes[status] ?? "unavailable";
  if (!isHtml) return new ApiError(status, code, `a ${status} was scripted`, headers);
  const body = `<!doctype html>\n<title>${status}</title>\n<h1>${status}</h1>\n`;
  return { status, body, headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } };
}
