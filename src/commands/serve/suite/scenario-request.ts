import type { EndedExchange } from "../../../server/http/exchange.ts";
import { factsOf } from "../../../server/judge/listener.ts";
import type { ScenarioRequest } from "./judge-scenario.ts";

/** Returns what the suite judges of a request that has ended. */
export function requestOf(exchange: EndedExchange): ScenarioRequest {
  const { sent, sentAtStore = 0, bodyBytes } = exchange;
  const headers = sent?.headers ?? {};
  return {
    ...factsOf(exchange),
    body: bodyBytes && Buffer.from(bodyBytes).toString(),
    retryAt: sent?.status === 503 ? retryTime(headers["Retry-After"], sentAtStore) : undefined,
    isUsedUp: headers["X-RateLimit-Remaining"] === "0",
  };
}

function retryTime(retryAfter: string | undefined, sentAt: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  const time = /^\d{1,9}$/.test(retryAfter)
    ? sentAt + Number(retryAfter) * 1000
    : Date.parse(retryAfter);
  return Number.isNaN(time) ? undefined : time;
}
