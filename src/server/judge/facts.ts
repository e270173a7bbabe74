import type { Ended } from "../http/exchange.ts";

/** What a 429 announced: when the limit itself ends, or where it was forced, Retry-After. */
export interface AnnouncedWait {
  /** By the store's time. */
  readonly until: number;
  /** The same by `Moment.elapsed`. */
  readonly elapsedUntil: number;
  readonly isBan: boolean;
  readonly isForced: boolean;
}

/** What the judge knows about a request below /v1 that has ended. */
export interface EndedRequest {
  readonly method: string;
  readonly target: string;
  /** When it arrived, by each of the clocks (`Moment`). */
  readonly arrivedAt: number;
  readonly arrivedAtStore: number;
  readonly arrivedElapsed: number;
  readonly isEarly: boolean;
  /** Whether the system has accepted the complete response. */
  readonly isComplete: boolean;
  readonly key: string;
  readonly connection: number;
  /** When the response was sent, or if none was, when the connection was closed; like `arrivedAt`. */
  readonly endedAt: number;
  /** Undefined if no part of a response was sent. */
  readonly status: number | undefined;
  /** Whether the client closed the connection before it had the response. */
  readonly hasLeft: boolean;
  readonly wait?: AnnouncedWait | undefined;
  /** The animal that was stored, regardless of the response. */
  readonly added?: Ended["added"];
}

/** Returns whether the client of a POST cannot tell its outcome from the response. */
export function isLost({ isComplete, status = 0 }: EndedRequest): boolean {
  return !isComplete || status >= 500;
}

/** Returns whether a GET got no usable response, and may get one if it is sent again. */
export function hasFailed(request: EndedRequest): boolean {
  return isLost(request) || request.status === 429 || request.status === 408;
}

/** Clients that leave within this many ms were stopped together. */
const stoppedTogetherMs = 10;
/** How much later than the client's next request its close may be seen at most, in ms. */
const maxLateCloseMs = 250;

/** Returns whether `next` may have been sent because `lost` had ended; a close may be seen after its next request. */
export function mayFollow(next: EndedRequest, lost: EndedRequest): boolean {
  if (next.arrivedAt >= lost.endedAt) return true;
  if (!lost.hasLeft) return false;
  const lateMs = Math.min(maxLateCloseMs, (lost.endedAt - lost.arrivedAt) / 2);
  const endedTogether = next.hasLeft && Math.abs(next.endedAt - lost.endedAt) <= stoppedTogetherMs;
  return next.arrivedAt + lateMs >= lost.endedAt && !endedTogether;
}

/** Returns what a judge needs of a request. */
export function factsOf(ended: Ended): EndedRequest {
  const { request, decision, sent, isComplete, leftAt, endedAt, added } = ended;
  const { method, target, at, connection } = request;
  const { fault, isEarly = false } = decision;
  const isCut = fault?.wire === "reset" || fault?.wire === "truncate";
  // The client may have left before the store would have ended it.
  const isEndedByStore = isCut && !(Number(leftAt) < at.real + (fault.delayMs ?? 0));
  const hasLeft = !isComplete && !isEndedByStore;
  const closedAt = leftAt ?? endedAt;
  return {
    key: ended.keyId ?? ended.key ?? "",
    method,
    target,
    connection: connection.number,
    arrivedAt: at.real,
    arrivedAtStore: at.store,
    arrivedElapsed: at.elapsed,
    endedAt: hasLeft ? closedAt : (sent?.at.real ?? closedAt),
    status: sent?.status,
    isEarly,
    isComplete,
    hasLeft,
    wait: sent?.status === 429 ? announcedWait(ended) : undefined,
    added,
  };
}

/** Returns the wait that the response to a request announced, if it did. */
export function announcedWait({ decision, sent }: Ended): AnnouncedWait | undefined {
  const { refusal } = decision;
  const announced = retryTime(sent);
  const until = refusal?.until ?? announced;
  if (until === undefined || sent === undefined) return undefined;
  // A clock may step between the decision and the response.
  const waitMs = Math.min(until, announced ?? until) - sent.at.store;
  const isBan = refusal?.code === "key_banned";
  return { until, elapsedUntil: sent.at.elapsed + waitMs, isBan, isForced: refusal === undefined };
}

/** Returns until when the Retry-After of a response asked to wait, by the store's clock. */
function retryTime(sent: Ended["sent"]): number | undefined {
  if (sent === undefined) return undefined;
  const { "Retry-After": text = "" } = sent.headers;
  const until = /^\d{1,9}$/.test(text) ? sent.at.store + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(until) ? undefined : until;
}
