import type { ExchangeListener } from "../../../src/server/http/exchange.ts";
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

/** The counts of a run's visits. */
export interface ArrivalCounts {
  readonly requests: number;
  readonly refused: number;
  /** Those that arrived during an announced wait. */
  readonly inside: number;
}

/** Returns a listener that records each request. */
export function recordArrivals() {
  const visits: Visit[] = [];
  const listener: ExchangeListener = ({ connection, arrivedAt, endedAt, isComplete, sent }) => {
    const ended = Date.now();
    visits.push({
      arrived: ended - (endedAt - arrivedAt),
      from: connection.remoteAddress,
      status: sent?.status ?? 0,
      announced: Number(sent?.headers["Retry-After"] ?? 0) * 1000,
      ...(isComplete && { left: ended }),
    });
  };
  return { visits, listener };
}

/** Counts the requests, and those that arrived during a wait announced to any client over `graceMs` before. */
export function countVisits(visits: readonly Visit[], graceMs = 0): ArrivalCounts {
  const refusals = visits.filter(({ status }) => status === 429);
  const inside = visits.filter((visit) =>
    refusals.some(({ left = Infinity, announced }) => {
      return left + graceMs <= visit.arrived && visit.arrived < left + announced;
    }),
  );
  return { requests: visits.length, refused: refusals.length, inside: inside.length };
}

/**
 * Counts the requests during a wait that the client's own address knew of. It takes a moment to read and record
 * a 429, and what is sent meanwhile breaks no rule (`simulation.test.ts` counts without it).
 */
export function insideOwnWaits(visits: readonly Visit[]): number {
  const groups = Map.groupBy(visits, ({ from }) => from).values();
  return [...groups].reduce((sum, own) => sum + countVisits(own, inFlightGraceMs).inside, 0);
}

/** What the minimum time of some work depends on; times and durations in ms. */
interface Work {
  readonly start: number;
  /** When the first request arrived at the store. */
  readonly first: number;
  readonly windowMs: number;
  /** How many windows the requests fill, the last of them perhaps in part. */
  readonly windows: number;
}

/** Returns the minimum time, in ms, from the start until the last required window begins; windows are aligned to UTC. */
export function leastMs({ start, first, windowMs, windows }: Work): number {
  return (Math.floor(first / windowMs) + windows - 1) * windowMs - start;
}
