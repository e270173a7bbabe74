import type { PetStatus } from "../core/pet-fields.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Clock } from "../platform/io.ts";
import type { Limiter } from "../rate-limiter/types.ts";
import type { SenderOptions } from "./http/sender.ts";

/** The query of a list; fields that are left out are not sent. */
export interface ListQuery {
  readonly limit?: number | undefined;
  readonly status?: PetStatus | undefined;
}

/** What the rate-limit headers of a reply say; `resetAt` is ms since the epoch by this machine's clock. */
export interface RateLimits {
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  readonly resetAt?: number | undefined;
}

/** A wait of a request before it is sent. */
export interface Wait {
  /** What happened, for the user: `the service responded with 429 Too Many Requests`. */
  readonly what: string;
  readonly ms: number;
  readonly until: number;
  /** Whether it is for the rate limiter, not after a reply or a failure of its own. */
  readonly isForLimiter?: boolean;
  /** Whether `ms` is only an upper bound. */
  readonly isOpenEnded?: boolean;
}

/** What happens to a request, for reports to the user. Never contains the key. */
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
      readonly storeId?: string | undefined;
      readonly text?: string;
    }
  | { readonly type: "failure"; readonly what: string; readonly ms: number }
  /** A wait begins, and ends, perhaps before its time. */
  | { readonly type: "waiting"; readonly wait: Wait }
  | { readonly type: "waited"; readonly wait: Wait }
  /** Why the limiter is not kept where it was, or should be, and where it is: undefined in this process alone. */
  | { readonly type: "limiter_moved"; readonly what: string; readonly folder: string | undefined }
  | { readonly type: "deprecation"; readonly notice: Readonly<Record<string, string>> };

/** Follows the sends of one request, to record what the service may have done. If a promise rejects, so does the request. */
export interface SendObserver {
  /** Called with the permit of each send; nothing leaves before its promise resolves. */
  onSend(): Promise<void> | void;
  /** Called if the last send had no effect: it was refused (429) and another may follow, or not sent after all. */
  onRefused(): void;
  /** Called before each further send, after the wait for it. */
  onRetry?(): Promise<void>;
  /** Called after a send, with the id of the store if its reply has one. */
  onReply?(storeId: string | undefined): void;
}

/** What every request to a service needs, whether it counts against limits or not. */
export interface ExchangeOptions extends SenderOptions {
  readonly apiKey: string;
  /** What is masked in all that is returned, thrown and reported: it knows the key. */
  readonly secrets: Secrets;
  readonly keyHint?: string | undefined;
  /** What messages call the key: it is masked, and where it comes from; by default masked. */
  readonly keyName?: string | undefined;
  /** The command that lists the animals of this service, for the user; by default `pets list`. */
  readonly listCommand?: string | undefined;
  readonly userAgent: string;
  readonly onEvent: (event: ApiEvent) => unknown;
}

/** What a PetsClient needs. Times may be Infinity, for unlimited. */
export interface PetsApiOptions extends ExchangeOptions {
  /** How often one request may be sent; by default as `help rate-limits` says. */
  readonly maxSends?: number | undefined;
  /** Whether requests may be sent during a back-off that no 429 asked for. */
  readonly despite503?: boolean | undefined;
  readonly maxWaitMs: number;
  readonly clock: Clock;
  readonly limiter: Limiter;
  readonly random: () => number;
  /** Ends waits and prevents further sends; its reason is a Failure (interrupted, terminated). */
  readonly signal: AbortSignal;
  /** Aborts the requests in flight; by default `signal`, else aborted later than `signal`. */
  readonly sendSignal?: AbortSignal | undefined;
}
