import { maxResetAheadMs, maxWaitMs } from "../../rate-limiter/state.ts";
import { parseHttpDate } from "./http-date.ts";
import type { RateLimits } from "../types.ts";

/** The headers of a reply: names in lower case, each with its values in the order they came. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const second = 1000;
/** Above it a reset is taken for milliseconds, below `leastUnixSeconds` for seconds from now. */
const mostUnixSeconds = 1e11;
const leastUnixSeconds = 1e9;

const decimal = /^\d+(?:\.\d+)?$/;
// An HTTP date holds a comma after the day's name, where a list of values would be cut.
const listItem = /(?:\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,)?[^,]*/g;

/** All values of a header, one line each. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  const value = headers[name];
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}

/** The moment of a reply by its own clock, in ms since the epoch, where its `Date` is valid. */
export function dateHeader(headers: Headers, now: number): number | undefined {
  return parseHttpDate(headerValues(headers, "date")[0]?.trim() ?? "", now);
}

/**
 * How long `Retry-After` says to wait, in ms, at most 24 h (rate-limits.md, How long): seconds with
 * or without a fraction, or an HTTP date, counted from the reply's own `Date`, else from `now` (ms
 * since the epoch). Of several values the longest. What is empty, negative or no time at all is as
 * if missing: undefined.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const from = dateHeader(headers, now) ?? now;
  const items = headerValues(headers, "retry-after").flatMap((line) => line.match(listItem) ?? []);
  const waits = items.map((item) => parseDelay(item.trim(), from, now)).filter((wait) => wait >= 0);
  return waits.length === 0 ? undefined : Math.min(Math.max(...waits), maxWaitMs);
}

function parseDelay(item: string, from: number, now: number): number {
  if (decimal.test(item)) return Math.ceil(Number(item) * second);
  return (parseHttpDate(item, now) ?? Number.NaN) - from;
}

/**
 * What the `X-RateLimit-*` headers say (api.md, Limits; rate-limits.md, How long): counts, and the
 * reset in ms since the epoch by this machine's clock, whose time is `now`. Headers that contradict
 * themselves and a reset that is past or over 25 h away are left out.
 */
export function parseRateLimit(headers: Headers, now: number): RateLimits {
  const counts = parseCounts(headers);
  if (counts === undefined) return {};
  const end = parseReset(headers, now);
  return end === undefined ? counts : { ...counts, resetAt: now + end.endsIn };
}

/** The counts of requests that they say; undefined where those contradict each other. */
export function parseCounts(headers: Headers): Pick<RateLimits, "limit" | "remaining"> | undefined {
  const limit = count(headers, "x-ratelimit-limit");
  const remaining = count(headers, "x-ratelimit-remaining");
  if (limit === undefined) return remaining === undefined ? {} : { remaining };
  if (remaining === undefined) return { limit };
  return remaining > limit ? undefined : { limit, remaining };
}

function count(headers: Headers, name: string): number | undefined {
  const value = singleNumber(headers, name);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** The end of the window that a reply tells of: by the service's clock, in ms since the epoch; and in how many ms. */
export interface WindowEnd {
  readonly reset: number;
  readonly endsIn: number;
}

/**
 * What `X-RateLimit-Reset` says, corrected by the reply's `Date`, at `now` (rate-limits.md, How long).
 * As both tell whole seconds the window may end up to a second before `endsIn` has passed, and not
 * after.
 */
export function parseReset(headers: Headers, now: number): WindowEnd | undefined {
  const value = singleNumber(headers, "x-ratelimit-reset");
  if (value === undefined) return undefined;
  const replied = dateHeader(headers, now) ?? now;
  const reset = resetTime(value, replied);
  const wait = reset - replied;
  return wait >= 0 && wait <= maxResetAheadMs ? { reset, endsIn: Math.ceil(wait) } : undefined;
}

function resetTime(value: number, replied: number): number {
  if (value < leastUnixSeconds) return replied + value * second;
  return value > mostUnixSeconds ? value : value * second;
}

/** The number that a header tells, where it tells one and not several different ones. */
function singleNumber(headers: Headers, name: string): number | undefined {
  const only = headers[name];
  // As a rule there is one header with one number: this is read several times a reply.
  if (typeof only === "string" && decimal.test(only)) return Number(only);
  const items = headerValues(headers, name).flatMap((line) => line.split(","));
  const [value, ...others] = new Set(items.map((item) => item.trim()));
  return value !== undefined && others.length === 0 && decimal.test(value)
    ? Number(value)
    : undefined;
}
