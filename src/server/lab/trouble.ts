import type { FaultKind } from "../../core/enums.ts";
import { ApiError } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import type { PlannedFault } from "../http/exchange.ts";

/** The trouble of a request with a valid key. */
export interface Trouble extends PlannedFault {
  /** Sent instead of the handler's response; a 429 takes the place of the limits. */
  readonly response: RouteResponse | undefined;
  /** How long a 429 tells the key to wait, in ms; 0 if it does not. */
  readonly waitMs: number;
}

/** No trouble. */
export const noTrouble: Trouble = {
  name: undefined,
  delayMs: 0,
  wire: undefined,
  cut: 0,
  isKept: true,
  overMs: 0,
  response: undefined,
  waitMs: 0,
};

/** What a kind of fault does, in addition to what a draw decided. */
export const faultTroubles: Readonly<Record<FaultKind, Partial<Trouble>>> = {
  // Tells to wait as short as possible, so that tests are short.
  "429": { response: forcedRateLimit(1), waitMs: 1_000, isKept: false },
  "500": { response: new ApiError(500, "internal", "a 500 was requested") },
  reset: { wire: "reset" },
  truncate: { wire: "truncate" },
  hang: { wire: "hang" },
};

function forcedRateLimit(seconds: number): ApiError {
  const message = `a 429 was requested, whatever the limit; wait ${seconds} s`;
  return new ApiError(429, "rate_limited", message, { "Retry-After": String(seconds) });
}
