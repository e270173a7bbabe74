import { petJson } from "../api/pet-json.ts";
import type { EndedExchange, ExchangeListener } from "../http/exchange.ts";
import type { EndedRequest } from "./facts.ts";
import type { Judge } from "./judge.ts";

/** Returns a listener that reports every request below /v1 to `judge`, except those of the page. */
export function judgeListener(judge: Judge): ExchangeListener {
  return (exchange) => {
    if (!exchange.isService || exchange.isPage) return;
    const request = factsOf(exchange);
    judge.take(request);
    if (!request.isComplete) return;
    exchange.connection.onReset = () =>
      void Object.assign(request, { isComplete: false, hasLeft: true, endedAt: performance.now() });
  };
}

/** The faults with which the store itself ends a connection. */
const endedByStore = new Set<string | undefined>(["reset", "truncate"]);

/** Returns what a judge takes of a request. */
export function factsOf(exchange: EndedExchange): EndedRequest {
  const { method, target, arrivedAt, arrivedAtStore, isComplete } = exchange;
  const { sent, sentAt, fault, leftAt, endedAt, added } = exchange;
  const hasLeft = !isComplete && !endedByStore.has(fault?.wire);
  const closedAt = leftAt ?? endedAt;
  return {
    key: exchange.key ?? "",
    method,
    target,
    connection: exchange.connection.number,
    arrivedAt,
    arrivedAtStore,
    endedAt: hasLeft ? closedAt : (sentAt ?? closedAt),
    status: sent?.status,
    isComplete,
    hasLeft,
    wait: sent?.status === 429 ? announcedWait(exchange) : undefined,
    added: added && { id: added.id, name: added.pet.name, content: petJson(0n, added.pet) },
  };
}

function announcedWait(exchange: EndedExchange): EndedRequest["wait"] {
  if (exchange.refusal !== undefined) return exchange.refusal;
  const until = retryTime(exchange);
  return until === undefined ? undefined : { until, isBan: false };
}

/** Returns until when the Retry-After of a response asked to wait, by the store's clock. */
export function retryTime({ sent, sentAtStore = 0 }: EndedExchange): number | undefined {
  const { "Retry-After": text = "" } = sent?.headers ?? {};
  const until = /^\d{1,9}$/.test(text) ? sentAtStore + Number(text) * 1000 : Date.parse(text);
  return Number.isNaN(until) ? undefined : until;
}
