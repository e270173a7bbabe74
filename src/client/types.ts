import type { NewPet, Pet } from "../core/pet.ts";
import type { PetStatus } from "../core/pet-rules.ts";
import type { Clock, Environment } from "../platform/io.ts";
import type { RateLimiter } from "../rate-limiter/limiter.ts";

/** What a list is asked for; what is left out is not sent. */
export interface ListQuery {
  readonly limit?: number;
  readonly status?: PetStatus;
}

/** What the rate-limit headers of a reply say: counts of requests, and a moment in ms since the epoch. */
export interface RateLimits {
  readonly limit?: number;
  readonly remaining?: number;
  readonly resetAt?: number;
}

/** Why a request waits before it is sent: what the service said, a plain retry, or the rate limiter. */
export type WaitReason = "rate_limited" | "unavailable" | "retry" | "limiter";

/** A wait that is about to start. */
export interface PlannedWait {
  readonly reason: WaitReason;
  /** What happened, ready to be read: `the service answered 429 Too Many Requests`. */
  readonly what: string;
  readonly ms: number;
  /** When it ends, in ms since the epoch by this machine's clock. */
  readonly until: number;
  /** Where it may be over sooner: whether it is, and how often to look, in ms. */
  readonly earlyExit?: { readonly isOver: () => boolean; readonly everyMs: number };
  /** Whether `ms` is only the most that it takes, and nobody knows how long it will be. */
  readonly isOpenEnded?: boolean;
}

/** What a reply says of its own future (RFC 9745, RFC 8594), as sent. */
export interface DeprecationNotice {
  readonly deprecation?: string;
  readonly sunset?: string;
  readonly link?: string;
}

/** What happens on the way of a request, for whoever tells the user. Nothing in it holds the key. */
export type ApiEvent =
  | {
      readonly type: "request";
      readonly method: string;
      readonly url: string;
      readonly attempt: number;
    }
  | {
      readonly type: "reply";
      readonly status: number;
      readonly ms: number;
      readonly limits: RateLimits;
    }
  | { readonly type: "failure"; readonly what: string; readonly ms: number }
  /** The limits can't be shared with other processes, and why. */
  | { readonly type: "limiter_not_shared"; readonly what: string }
  | { readonly type: "deprecation"; readonly notice: DeprecationNotice };

/** Follows the sends of one request, for whoever has to know what may have been done. */
export interface SendObserver {
  /**
   * Called before the first byte of each send. Where it throws, nothing is sent, and the request
   * rejects with what it threw.
   */
  onSend(): void;
  /**
   * The last send did nothing, and another may follow: the service refused it (429), or it was kept
   * back after all.
   */
  onRefused(): void;
}

/** The service of api.md. Every method rejects with a Failure, and with nothing else that is expected. */
export interface PetsApi {
  list(query: ListQuery): Promise<readonly Pet[]>;
  add(pet: NewPet, watcher?: SendObserver): Promise<Pet>;
  get(id: bigint): Promise<Pet>;
}

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
  /** Where every request acquires its permit. */
  readonly limiter: RateLimiter;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** Ends waits, and lets nothing more be sent; its reason is a Failure (interrupted, terminated). */
  readonly signal: AbortSignal;
  /** Ends what is on its way; by default `signal`, and aborted after it else. */
  readonly sendSignal?: AbortSignal;
  readonly onEvent: (event: ApiEvent) => void;
  /** Waits and tells of it; rejects as soon as `signal` is aborted. */
  readonly wait: (wait: PlannedWait) => Promise<void>;
}
