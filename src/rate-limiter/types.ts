import type { PermitDecision, WaitCondition } from "./rules/decision.ts";
import type { ReplyInfo } from "./rules/records.ts";
import type { LimiterStatus } from "./rules/status.ts";

export type AcquireResult =
  | { readonly go: true; readonly id: string }
  | (WaitCondition & { readonly go: false });

/** The rate limiter of all requests with a key to an origin. It never waits for a permit. */
export interface Limiter {
  /**
   * Acquires a permit for a request that ends within `lifeMs` (may be Infinity), if one is free; `despite503`
   * also during a back-off that no 429 asked for.
   */
  tryAcquire(lifeMs: number, despite503?: boolean): AcquireResult | Promise<AcquireResult>;
  /** Returns what a new request may do now, without a permit for it. */
  peek(): PermitDecision;
  /** Returns true if the permit `id` still allows its request to be sent. */
  revalidate(id: string): boolean;
  /** Ends the permit `id`, whose request has just got this reply. */
  complete(id: string, reply: ReplyInfo): void;
  /** Ends the permit `id`: its request was not sent (release), or may have been (lost). */
  end(id: string, how: "release" | "lost"): void;
  readonly consecutiveRefusals: number;
  readonly backoffMs: number;
  /**
   * Leaves a share of each window to other commands from now on (`help rate-limits`), and `reservePercent` of every
   * window unused (0 to 90). `openRows` returns how many rows of the import have not ended yet, with those in flight.
   */
  shareFairly(openRows: () => number, reservePercent?: number): void;
  /** Returns what is known without a request to the service. */
  status(): LimiterStatus;
  /** Whether it replaces a limiter of several machines, so that others may use up what it counts on. */
  readonly isFallback: boolean;
  /** Reads what others have written, and with `writing` also tries to write. */
  sync(options?: { readonly writing?: boolean }): Promise<void>;
  close(): Promise<void>;
}
