import type { Timestamp } from "./stamp.ts";

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
