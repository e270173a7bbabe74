import type { ErrorBody } from "../error-body.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { AttemptOutcome } from "../http/outcome.ts";
import type { PetsApiOptions } from "../types.ts";

/**
 * Why a request is not sent again. `limited` means that the service asks for a wait that does not fit, or asks again
 * after the waits; `retryAt` is the time that it named, in ms since the epoch; `exhausted` means that no retries were
 * left, so a longer `--max-wait` would not have helped.
 */
export interface FinalDecision {
  readonly retry: false;
  readonly limited: boolean;
  readonly exhausted?: true;
  readonly retryAt?: number;
}

/** How a request that was not cancelled ended, and after how many attempts. */
export interface FinalOutcome {
  readonly outcome: Exclude<AttemptOutcome, { kind: "aborted" }>;
  readonly decision: FinalDecision;
  readonly attempts: number;
}

/** A request that failed, and all that its Failure says. */
export interface FailedRequest
  extends FinalOutcome, Pick<PetsApiOptions, "baseUrl" | "keyHint" | "keyName"> {
  readonly method: HttpRequest["method"];
  /** When it ended, in ms since the epoch. */
  readonly now: number;
  /** The Error body of the reply, without the key. */
  readonly error?: ErrorBody;
  /** Where a redirect points, without the key. */
  readonly location?: string;
  /** What is wrong with the body of a reply that should have been a success. */
  readonly violation?: string;
  /** True if only an animal in the body breaks the rules, so that the address is right. */
  readonly inRecord?: boolean;
}
