import type { EndedExchange } from "../http/exchange.ts";

/** What the judge knows about a request below /v1 that has ended. */
export interface EndedRequest extends Pick<
  EndedExchange,
  "method" | "target" | "arrivedAt" | "arrivedAtStore" | "isEarly" | "isComplete"
> {
  readonly key: string;
  readonly connection: number;
  /** When the response was sent, or if none was, when the connection was closed; like `arrivedAt`. */
  readonly endedAt: number;
  /** Undefined if no part of a response was sent. */
  readonly status: number | undefined;
  /** Whether the client closed the connection before it had the response. */
  readonly hasLeft: boolean;
  /** What a 429 announced: when the limit itself ends, or where it was forced, Retry-After. */
  readonly wait?:
    | { readonly until: number; readonly isBan: boolean; readonly isForced: boolean }
    | undefined;
  /** The animal that was stored, regardless of the response. */
  readonly added?: EndedExchange["added"];
}

/** Returns whether the client of a POST cannot tell its outcome from the response. */
export function isLost({ isComplete, status = 0 }: EndedRequest): boolean {
  return !isComplete || status >= 500;
}

/** Returns whether a GET got no usable response, and may get one if it is sent again. */
export function hasFailed(request: EndedRequest): boolean {
  return isLost(request) || request.status === 429 || request.status === 408;
}

/** Timers of clients may fire this many ms early. */
export const toleranceMs = 5;
/** How much later than the client's next request its close may be seen at most, in ms. */
const maxLateCloseMs = 250;

/**
 * Returns whether `next` may have been sent because `lost` had ended. Where the client left, its close may be
 * seen after its next request; clients that leave at the same moment were stopped together.
 */
export function mayFollow(next: EndedRequest, lost: EndedRequest): boolean {
  if (next.arrivedAt + toleranceMs >= lost.endedAt) return true;
  if (!lost.hasLeft) return false;
  const lateMs = Math.min(maxLateCloseMs, (lost.endedAt - lost.arrivedAt) / 2);
  const endedTogether = next.hasLeft && Math.abs(next.endedAt - lost.endedAt) <= 2 * toleranceMs;
  return next.arrivedAt + lateMs >= lost.endedAt && !endedTogether;
}

/** Returns what a judge needs of a request. */
export function factsOf(exchange: EndedExchange): EndedRequest {
  const { method, target, arrivedAt, arrivedAtStore, isEarly, isComplete } = exchange;
  const { sent, fault, leftAt, endedAt, added } = exchange;
  const isEndedByStore = fault?.wire === "reset" || fault?.wire === "truncate";
  const hasLeft = !isComplete && !isEndedByStore;
  const closedAt = leftAt ?? endedAt;
  return {
    key: exchange.keyId ?? exchange.key ?? "",
    method,
    target,
    connection: exchange.connection.number,
    arrivedAt,
    arrivedAtStore,
    endedAt: hasLeft ? closedAt : (sent?.at ?? closedAt),
    status: sent?.status,
    isEarly,
    isComplete,
    hasLeft,
    wait: sent?.status === 429 ? announcedWait(exchange) : undefined,
    added,
  };
}

function announcedWait(exchange: EndedExchange): EndedRequest["wait"] {
  const { refusal } = exchange;
  if (refusal !== undefined)
    return { until: refusal.until, isBan: refusal.code === "key_banned", isForced: false };
  const until = retryTime(exchange);
  return until === undefined ? undefined : { until, isBan: false, isForced: true };
}

/** Returns until when the Retry-After of a response asked to wait, by the store's clock. */
export function retryTime({ sent }: EndedExchange): number | undefined {
  if (sent === undefined) return undefined;
  const { "Retry-After": text = "" } = sent.headers;
  const until = /^\d{1,9}$/.test(text) ? sent.atStore + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(until) ? undefined : until;
}
