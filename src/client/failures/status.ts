import type { FailureKind } from "../../core/errors.ts";
import type { HttpRequest } from "../http/exchange.ts";

/** What a status means for the command: a kind of failure. */
export type StatusKind = Extract<
  FailureKind,
  "auth" | "not_found" | "rate_limited" | "unreachable" | "usage" | "service" | "outcome_unknown"
>;

/** 5xx that say that the request was not understood, and so not processed. */
const notProcessedStatuses: ReadonlySet<number> = new Set([501, 505, 511]);

/**
 * Returns what a reply with `status` means (`help exit-codes`). A 2xx comes here only if it or its body is not what
 * the API promises. After a POST the outcome is unknown unless the status proves that nothing was done.
 */
export function failureKindOf(status: number, method: HttpRequest["method"]): StatusKind {
  if (status >= 400 && status < 500) return kindOfRefusal(status, method);
  if (method === "GET") return "service";
  if (status < 300 || status === 303) return "outcome_unknown";
  if (status < 400 || notProcessedStatuses.has(status)) return "service";
  return "outcome_unknown";
}

function kindOfRefusal(status: number, method: HttpRequest["method"]): StatusKind {
  switch (status) {
    case 401:
    case 403:
      return "auth";
    case 404:
      return "not_found";
    case 405:
    case 410:
      return "service";
    case 408:
      return method === "GET" ? "unreachable" : "outcome_unknown";
    case 429:
      return "rate_limited";
    default:
      return "usage";
  }
}

/** Returns true if the same GET may succeed later (`help exit-codes`). */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500 || status < 300;
}
