import type { FailureKind } from "../../core/errors.ts";
import type { HttpRequest } from "../http/exchange.ts";

/** What a 4xx means; any other is wrong usage, and 408 depends on the method. */
const refusals: Readonly<Record<number, FailureKind>> = {
  401: "auth",
  403: "auth",
  404: "not_found",
  405: "service",
  410: "service",
  429: "rate_limited",
};

/** 5xx that say that the request was not understood, and so not processed. */
const notProcessedStatuses: ReadonlySet<number> = new Set([501, 505, 511]);

/**
 * Returns what a reply with `status` means (`help exit-codes`). A 2xx comes here only if it or its body is not what
 * the API promises. After a POST the outcome is unknown unless the status proves that nothing was done.
 */
export function failureKindOf(status: number, method: HttpRequest["method"]): FailureKind {
  if (status === 408) return method === "GET" ? "unreachable" : "outcome_unknown";
  if (status >= 400 && status < 500) return refusals[status] ?? "usage";
  if (method === "GET") return "service";
  const isRedirect = status >= 300 && status < 400 && status !== 303;
  return isRedirect || notProcessedStatuses.has(status) ? "service" : "outcome_unknown";
}

/** Returns true if the same GET may succeed later (`help exit-codes`). */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500 || status < 300;
}
