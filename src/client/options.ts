import type { RateLimiter } from "../rate-limiter/limiter.ts";
import type { Clock, Environment } from "../platform/io.ts";
import type { ApiEvent, Wait } from "./types.ts";

/** What a PetsApi needs. Times are in ms, Infinity for no bound. */
export interface PetsApiOptions {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** For one send: connecting, sending and the whole reply. */
  readonly timeoutMs: number;
  /** For all waits of one request together. */
  readonly maxWaitMs: number;
  readonly userAgent: string;
  /** Where the proxies are looked up. */
  readonly env: Environment;
  readonly clock: Clock;
  /** Where every request asks whether it may be sent. */
  readonly gate: RateLimiter;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** Ends waits, and lets nothing more be sent; its reason is a Failure (interrupted, terminated). */
  readonly signal: AbortSignal;
  /** Ends what is on its way; by default `signal`, and aborted after it else. */
  readonly sendSignal?: AbortSignal;
  readonly onEvent: (event: ApiEvent) => void;
  /** Waits and tells of it; rejects as soon as `signal` is aborted. */
  readonly wait: (wait: Wait) => Promise<void>;
}
