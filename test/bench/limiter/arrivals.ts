import type { EndListener } from "../../../src/server/http/exchange.ts";
import { inFlightGraceMs } from "../../../src/server/rate-limits/limits.ts";

/** A request as it arrived at the store; times are ms since the epoch. */
export interface Visit {
  readonly arrived: number;
  /** The address of the client. */
  readonly from?: string;
  /** 0 until it is answered. */
  status: number;
  /** The wait that the reply announced, in ms. */
  announced: number;
  /** When the end of the reply was handed to the system; undefined if the client disconnected before. */
  left?: number;
}

/** Returns a listener that records each request. */
export function recordArrivals() {
  const visits: Visit[] = [];
  const listener: EndListener = ({ request, endedAt, isComplete, sent }) => {
    const ended = Date.now();
    visits.push({
      arrived: ended - (endedAt - request.at.real),
      from: request.connection.remoteAddress,
      status: sent?.status ?? 0,
      announced: Number(sent?.headers["Retry-After"] ?? 0) * 1000,
      ...(isComplete && { left: ended }),
    });
  };
  return { visits, listener };
}

/** Counts the requests that arrived during a wait announced to any client over `graceMs` before. */
export function insideWaits(visits: readonly Visit[], graceMs = 0): number {
  const refusals = visits.filter(({ status }) => status === 429);
  return visits.filter(({ arrived }) =>
    refusals.some(({ left = Infinity, announced }) => {
      return left + graceMs <= arrived && arrived < left + announced;
    }),
  ).length;
}

/**
 * Counts the requests during a wait that the client's own address knew of. It takes a moment to read and record
 * a 429, and what is sent meanwhile breaks no rule (`simulation.test.ts` counts without it).
 */
export function insideOwnWaits(visits: readonly Visit[]): number {
  const groups = Map.groupBy(visits, ({ from }) => from).values();
  return [...groups].reduce((sum, own) => sum + insideWaits(own, inFlightGraceMs), 0);
}

/**
 * Returns the minimum time, in ms, from the start until the last of `windows` begins, which the requests fill, the last
 * perhaps in part. `first` is when the first request arrived at the store; windows are aligned to UTC.
 */
export function leastMs({
  start,
  first,
  windowMs,
  windows,
}: Readonly<Record<"start" | "first" | "windowMs" | "windows", number>>): number {
  return (Math.floor(first / windowMs) + windows - 1) * windowMs - start;
}
