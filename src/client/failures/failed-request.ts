import type { ErrorBody } from "../../core/error-body.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { AttemptOutcome } from "../http/outcome.ts";
import type { RetryDecision } from "../retry/policy.ts";

/** How a request that was not cancelled ended, and after how many attempts. */
export interface FinalOutcome {
  readonly outcome: Exclude<AttemptOutcome, { kind: "aborted" }>;
  readonly decision: Extract<RetryDecision, { retry: false }>;
  readonly attempts: number;
}

/** A request that failed, and all that its Failure says. */
export interface FailedRequest extends FinalOutcome {
  readonly method: HttpRequest["method"];
  readonly baseUrl: URL;
  /** When it ended, in ms since the epoch. */
  readonly now: number;
  /** What to do about a refused key. */
  readonly keyHint?: string;
  /** The masked key, and where it comes from. */
  readonly keyName?: string;
  /** The Error body of the reply, without the key. */
  readonly error?: ErrorBody;
  /** Where a redirect points, without the key. */
  readonly location?: string;
  /** What is wrong with the body of a reply that should have been a success. */
  readonly violation?: string;
  /** True if only an animal in the body breaks the rules, so that the address is right. */
  readonly inRecord?: boolean;
}
