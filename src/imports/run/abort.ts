import { Failure } from "../../core/errors.ts";

/**
 * Ends a run before its last row. The first reason counts. Requests in flight finish unless
 * `abandon` is called.
 */
export class RunAbort {
  readonly #waits = new AbortController();
  readonly #sends = new AbortController();
  /** Aborted when no more requests may be sent; ends waits. */
  readonly signal = this.#waits.signal;
  /** Aborted when requests in flight are given up too. */
  readonly sendSignal = this.#sends.signal;
  #reason: { readonly error: unknown } | undefined;

  /** Why the run stopped: a Failure, or an internal error. */
  get reason(): { readonly error: unknown } | undefined {
    return this.#reason;
  }

  /** Prevents further requests, because of `error`. */
  stop(error: unknown): void {
    this.#reason ??= { error };
    // Rows that end because of this must not fail with `error` itself, which may be the service's
    // reply to another row.
    this.#waits.abort(new Failure("interrupted", "the run was stopped", { retryable: true }));
  }

  /** Gives up the requests in flight too. */
  abandon(error: unknown): void {
    this.#reason = { error };
    this.stop(error);
    this.#sends.abort();
  }
}
