import type { Clock, Machine } from "../../platform/io.ts";

/** What rate-limit headers say. A window ends in `endsIn` ms; `reset`, that by the service's clock, identifies it. */
export interface ObservedLimits {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly reset?: number | undefined;
  readonly endsIn?: number | undefined;
}

/** What a reply says; if it asks for that, nothing may be sent for `waitMs`. */
export interface ReplyInfo extends ObservedLimits {
  readonly status: number;
  readonly waitMs?: number | undefined;
}

/** What happened to the requests of one key, as the processes record it for each other. */
export type LimiterEvent =
  /** The process `pid` asks for a permit, for a request that ends within `lifeMs`. */
  | {
      readonly kind: "reserve" | "probe";
      readonly id: string;
      readonly pid: number;
      readonly lifeMs: number;
    }
  /** The request of a permit was not sent (release), may have been sent without a reply (lost), or is in flight (alive). */
  | { readonly kind: "release" | "lost" | "alive"; readonly id: string }
  | ({ readonly kind: "reply"; readonly id: string } & ReplyInfo)
  /** In a snapshot: the limits that a reply announced, and how long their windows are at most, in ms. */
  | ({ readonly kind: "limits"; readonly length?: number | undefined } & ObservedLimits)
  /** In a snapshot: how many requests without a reply the service may have counted. */
  | { readonly kind: "uncounted"; readonly count: number }
  /** In a snapshot: the back-off, and how many refusals in a row there were. */
  | {
      readonly kind: "block";
      readonly status: number;
      readonly waitMs: number;
      readonly strikes: number;
    }
  /** The back-off has ended early, by what the machines know that share a limiter; a 429 still counts. */
  | { readonly kind: "lift" }
  | { readonly kind: "seal" };

export type PermitEvent = Extract<LimiterEvent, { readonly id: string }>;

export interface LogRecord {
  readonly stamp: Timestamp;
  readonly event: LimiterEvent;
}

/** A time on a machine: which start, the ms since then, sleep included, and those since the epoch: that clock may jump. */
export interface Timestamp {
  readonly boot: string;
  readonly uptime: number;
  readonly wall: number;
}

/** Returns the time by `machine` and `clock`. */
export function timestampOf(
  machine: Pick<Machine, "bootId" | "uptime">,
  clock: Pick<Clock, "now">,
): Timestamp {
  return { boot: machine.bootId(), uptime: machine.uptime(), wall: clock.now() };
}

/** Uptimes of one start differ by less than this, in ms: two ticks, as long as a second on some systems. */
const toleranceMs = 2500;
/** How far ahead the recording clock may have been; a record further ahead is invalid. */
const maxClockSkewMs = 2 * 60_000;

/** Returns the ms from `then` to `now`, by the uptime of the same start, else by the clock; undefined for the future. */
export function ageOf(then: Timestamp, now: Timestamp): number | undefined {
  const sameBoot =
    then.boot === now.boot && (then.boot !== "" || then.uptime <= now.uptime + toleranceMs);
  const age = sameBoot ? now.uptime - then.uptime : now.wall - then.wall;
  if (age < -(sameBoot ? toleranceMs : maxClockSkewMs)) return undefined;
  return sameBoot ? age : Math.max(0, age);
}
