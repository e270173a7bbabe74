import { petJson } from "../api/pet-json.ts";
import type { EndedExchange } from "../http/exchange.ts";
import type { EndedRequest } from "./facts.ts";
import type { Judge } from "./judge.ts";

/** Reports a request below /v1 that has ended to `judge`, except those of the page. */
export function judgeExchange(judge: Pick<Judge, "take">, exchange: EndedExchange): void {
  if (!exchange.isService || exchange.isPage) return;
  const request = factsOf(exchange);
  judge.take(request);
  if (!request.isComplete) return;
  exchange.connection.onReset = () =>
    void Object.assign(request, { isComplete: false, hasLeft: true, endedAt: performance.now() });
}

/** The faults with which the store itself ends a connection. */
const endedByStore = new Set<string | undefined>(["reset", "truncate"]);

/** Returns what a judge takes of a request. */
export function factsOf(exchange: EndedExchange): EndedRequest {
  const { method, target, arrivedAt, arrivedAtStore, isEarly, isComplete } = exchange;
  const { sent, fault, leftAt, endedAt, added } = exchange;
  const hasLeft = !isComplete && !endedByStore.has(fault?.wire);
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
    added: added && { id: added.id, name: added.pet.name, content: petJson(0n, added.pet) },
  };
}

function announcedWait(exchange: EndedExchange): EndedRequest["wait"] {
  if (exchange.refusal !== undefined) return { ...exchange.refusal, isForced: false };
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
