import type { ObservedLimits } from "../../rate-limiter/rules/records.ts";
import { maxBackoffMs } from "../../rate-limiter/rules/state.ts";

/** The headers of a reply: names in lower case, each with its values in the order they came. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the head of a reply says. Durations count from `receivedAt`; fields without a header are left out. */
export interface ReplyHead {
  readonly status: number;
  /** When it arrived, in ms since the epoch by this machine's clock. */
  readonly receivedAt: number;
  /** When the service sent it, in ms since the epoch by the service's clock. */
  readonly date?: number | undefined;
  /** How long `Retry-After` asks to wait, in ms. */
  readonly retryAfter?: number | undefined;
  readonly rateLimit: ObservedLimits;
  readonly encoding?: string | undefined;
  /** Its headers about the future of the endpoint, as sent: they may hold the API key, as the next two may. */
  readonly deprecation: Readonly<Record<string, string>>;
  readonly location?: string | undefined;
  readonly storeId?: string | undefined;
}

/** Parses the head of a reply that came at `now`, in ms since the epoch: the only reader of headers. */
export function parseReplyHead(status: number, headers: Headers, now: number): ReplyHead {
  const date = parseHttpDate(valuesOf(headers, "date")[0]?.trim() ?? "");
  const storeId = singleItem(headers, "x-pets-store");
  return {
    status,
    receivedAt: now,
    date,
    retryAfter: parseRetryAfter(headers, date ?? now),
    rateLimit: parseRateLimit(headers, date ?? now),
    encoding: valuesOf(headers, "content-encoding").find(
      (value) => !/^(?:identity)?$/i.test(value),
    ),
    // RFC 9745, RFC 8594.
    deprecation: { ...joined(headers, "Deprecation"), ...joined(headers, "Sunset") },
    location: valuesOf(headers, "location")[0],
    storeId: /^[!-~]{1,128}$/.test(storeId ?? "") ? storeId : undefined,
  };
}

function valuesOf(headers: Headers, name: string): readonly string[] {
  return [headers[name] ?? []].flat();
}

/** Returns a header, if it is there, as one value: several are joined by commas (RFC 9110, 5.3). */
function joined(headers: Headers, name: string): Readonly<Record<string, string>> {
  const values = valuesOf(headers, name.toLowerCase());
  return values.length === 0 ? {} : { [name]: values.join(", ") };
}

const decimal = /^\d+(?:\.\d+)?$/;
// The comma after the day's name in an HTTP date does not separate items.
const listItem = /(?:\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,)?[^,]*/g;

/** Returns the longest delay of `Retry-After` in ms, at most 24 h (`help rate-limits`); malformed ones count as missing. */
function parseRetryAfter(headers: Headers, sentAt: number): number | undefined {
  const delays = valuesOf(headers, "retry-after")
    .flatMap((line) => line.match(listItem) ?? [])
    .map((item) => parseDelay(item.trim(), sentAt))
    .filter((delay) => delay >= 0);
  return delays.length === 0 ? undefined : Math.min(Math.max(...delays), maxBackoffMs);
}

function parseDelay(item: string, sentAt: number): number {
  if (decimal.test(item)) return Math.ceil(Number(item) * 1000);
  return (parseHttpDate(item) ?? Number.NaN) - sentAt;
}

/** Matches the three formats of an HTTP date; the last has no zone. */
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

/** Returns the time of an HTTP date (RFC 9110, 5.6.7) in ms since the epoch; undefined for other text. */
function parseHttpDate(text: string): number | undefined {
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return httpDate.test(text) && !Number.isNaN(time) ? time : undefined;
}

/** Returns what `X-RateLimit-*` says (`help rate-limits`): nothing if its counts contradict each other, or the limit is 0. */
function parseRateLimit(headers: Headers, sentAt: number): ObservedLimits {
  const limit = parseCount(headers, "x-ratelimit-limit");
  // A window of no requests is none: the service has answered this one.
  if (limit === 0) return {};
  const remaining = parseCount(headers, "x-ratelimit-remaining");
  if (limit !== undefined && remaining !== undefined && remaining > limit) return {};
  return { limit, remaining, ...parseReset(headers, sentAt) };
}

function parseCount(headers: Headers, name: string): number | undefined {
  const value = singleNumber(headers, name);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Above this a reset counts as milliseconds, below `minUnixSeconds` as seconds from now. */
const maxUnixSeconds = 1e11;
const minUnixSeconds = 1e9;
const maxResetAheadMs = 25 * 60 * 60_000;

/**
 * Returns when the window ends, by the service's clock and in ms from now. Both `Date` and reset are
 * whole seconds, so the window may end up to a second before `endsIn` has passed, but not after.
 */
function parseReset(headers: Headers, sentAt: number): Pick<ObservedLimits, "reset" | "endsIn"> {
  const value = singleNumber(headers, "x-ratelimit-reset");
  if (value === undefined) return {};
  const ms = value > maxUnixSeconds ? value : value * 1000;
  const reset = value < minUnixSeconds ? sentAt + ms : ms;
  const wait = reset - sentAt;
  return wait >= 0 && wait <= maxResetAheadMs ? { reset, endsIn: Math.ceil(wait) } : {};
}

function singleNumber(headers: Headers, name: string): number | undefined {
  const value = singleItem(headers, name);
  return value !== undefined && decimal.test(value) ? Number(value) : undefined;
}

/** Returns the item of a header, which commas separate (RFC 9110, 5.6.1); undefined if it has several different ones. */
function singleItem(headers: Headers, name: string): string | undefined {
  const items = valuesOf(headers, name).flatMap((line) => line.split(","));
  const [value, ...others] = new Set(items.map((item) => item.trim()));
  return others.length === 0 ? value : undefined;
}
