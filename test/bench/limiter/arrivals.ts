import type { ExchangeListener } from "../../../src/server/http/exchange.ts";

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
  /** Those that arrived during an announced wait, at most 250 ms after it was announced. */
  readonly onTheWay: number;
  /** Those that arrived during an announced wait, later than that. */
  readonly inside: number;
}

/** Requests that arrive this soon after a 429, in ms, were in flight when it was sent. */
const onTheWay = 250;

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

/**
 * Counts the requests, and those that arrived during a wait that had been announced to any client. Of
 * several such waits, the first one counts.
 */
export function countVisits(visits: readonly Visit[]): ArrivalCounts {
  const refusals = visits.filter(({ status }) => status === 429);
  const sinceTold = visits.flatMap((visit) => {
    const told = refusals
      .filter((refusal) => refusal !== visit)
      .map(({ left = Infinity, announced }) => ({ left, until: left + announced }))
      .filter(({ left, until }) => left <= visit.arrived && visit.arrived < until);
    return told.length === 0 ? [] : [visit.arrived - Math.min(...told.map(({ left }) => left))];
  });
  const early = sinceTold.filter((ms) => ms <= onTheWay).length;
  return {
    requests: visits.length,
    refused: refusals.length,
    onTheWay: early,
    inside: sinceTold.length - early,
  };
}

/** Counts the requests during a wait that had been announced to the client's own address. */
export function insideOwnWaits(visits: readonly Visit[]): number {
  const groups = Map.groupBy(visits, ({ from }) => from).values();
  return [...groups].reduce((sum, own) => sum + countVisits(own).inside, 0);
}
