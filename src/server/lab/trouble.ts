import { ApiError } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import type { FaultKind } from "../../core/enums.ts";
import type { PlannedFault } from "../http/exchange.ts";

/** The trouble of a request that the limits admit. */
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

/** The Retry-After of a forced 429, in seconds: the smallest value, to keep tests short. */
const forcedSeconds = 1;

/** What a kind of fault does, in addition to what a draw decided. */
const kinds: Readonly<Record<FaultKind, () => Partial<Trouble>>> = {
  // Takes the place of the limits, which come before everything else.
  "429": () => ({ response: forcedRateLimit(), waitMs: forcedSeconds * 1000, isKept: false }),
  "500": () => ({ response: forcedError() }),
  reset: () => ({ wire: "reset" }),
  truncate: () => ({ wire: "truncate" }),
  hang: () => ({ wire: "hang" }),
};

/** Returns the trouble of a kind; `drawn` says what a draw decided. */
export function troubleOf(
  kind: FaultKind,
  drawn: Pick<Trouble, "delayMs" | "cut" | "isKept">,
): Trouble {
  return { ...noTrouble, ...drawn, name: kind, ...kinds[kind]() };
}

function forcedRateLimit(): ApiError {
  const message = `a 429 was requested, whatever the limit; wait ${forcedSeconds} s`;
  return new ApiError(429, "rate_limited", message, { "Retry-After": String(forcedSeconds) });
}

function forcedError(): ApiError {
  return new ApiError(500, "internal", "a 500 was requested");
}
