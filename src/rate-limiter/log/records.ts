/**
 * What the rate-limit headers of a reply say: counts; when the window ends, in ms since the epoch by
 * the service's clock, which tells one window from the next; and in how many ms it will be over.
 */
export interface ObservedLimits {
  readonly limit?: number;
  readonly remaining?: number;
  readonly reset?: number;
  readonly endsIn?: number;
}

/** What a reply taught: its status, its limits, and for how many ms it said to wait, where it did. */
export interface ReplyInfo {
  readonly status: number;
  readonly limits: ObservedLimits;
  readonly waitMs?: number;
}

/** What happened to the requests of one key, as the processes tell it to each other. */
export type LimiterEvent =
  /** A place is asked for by the process `pid`, whose request will be over within `lifeMs`. */
  | {
      readonly kind: "reserve" | "probe";
      readonly id: string;
      readonly pid: number;
      readonly lifeMs: number;
    }
  /** The request of a place: not sent; sent perhaps, and nothing came of it; answered. */
  | { readonly kind: "release" | "end"; readonly id: string }
  | ({ readonly kind: "reply"; readonly id: string } & ReplyInfo)
  /** Carried over: the limits that a reply told of. */
  | { readonly kind: "limits"; readonly limits: ObservedLimits }
  /** Carried over: requests that the service may have counted without anyone having heard of it. */
  | { readonly kind: "lost"; readonly count: number }
  /** Carried over: a wait that was asked for, and how often in a row. */
  | {
      readonly kind: "block";
      readonly status: number;
      readonly waitMs: number;
      readonly strikes: number;
    }
  /** The log goes on in its next file. */
  | { readonly kind: "seal" };

/** An event, and when it was written down. */
export interface LogRecord {
  readonly stamp: Timestamp;
  readonly event: LimiterEvent;
}

/**
 * A moment, by the clocks of the machine that wrote it down: ms since it started, sleep included,
 * which start that was, and ms since the epoch by a clock that may be wrong and may jump.
 */
export interface Timestamp {
  readonly boot: string;
  readonly uptime: number;
  readonly wall: number;
}

/** Uptimes of one start may be this far apart, in ms: they tick in hundredths of a second. */
const toleranceMs = 1000;
/** How far ahead, in ms, the clock may have been when it wrote; what is further was never written. */
const maxClockSkewMs = 2 * 60_000;

/**
 * How long ago `then` was at `now`, in ms. Within one start of the machine its uptime tells,
 * which does not jump; else its clock. Undefined for what lies in the future.
 */
export function ageOf(then: Timestamp, now: Timestamp): number | undefined {
  const sameBoot =
    then.boot === now.boot && (then.boot !== "" || then.uptime <= now.uptime + toleranceMs);
  const age = sameBoot ? now.uptime - then.uptime : now.wall - then.wall;
  if (age < -(sameBoot ? toleranceMs : maxClockSkewMs)) return undefined;
  return sameBoot ? age : Math.max(0, age);
}

/** The moment that was `now.uptime - at` ms before `now`. */
export function timestampAt(at: number, now: Timestamp): Timestamp {
  return { boot: now.boot, uptime: at, wall: now.wall - (now.uptime - at) };
}
