import { Failure } from "../../core/errors.ts";

/** How many unknown outcomes in a row, and none else, stop a run. */
const mostUnknownInRow = 50;

/**
 * What ends a run before its last row. The first reason counts; what is on its way goes on, until
 * `leave`.
 */
export class RunAbort {
  readonly #waits = new AbortController();
  readonly #sends = new AbortController();
  #reason: { readonly error: unknown } | undefined;
  #unknownInRow = 0;

  /** Aborted when nothing more may be sent; ends waits. */
  get signal(): AbortSignal {
    return this.#waits.signal;
  }

  /** Aborted when what is on its way is given up too. */
  get sendSignal(): AbortSignal {
    return this.#sends.signal;
  }

  /** Why it stopped: a Failure, or a fault of this program. */
  get reason(): { readonly error: unknown } | undefined {
    return this.#reason;
  }

  /** Nothing more is sent, because of `error`. */
  stop(error: unknown): void {
    this.#reason ??= { error };
    // A row that is ended by this failed for no reason of its own: whatever `error` says of another
    // row must not be taken for what the service said to this one.
    this.#waits.abort(new Failure("interrupted", "the run was stopped", { retryable: true }));
  }

  /** What is on its way is given up. */
  abandon(error: unknown): void {
    this.#reason = { error };
    this.stop(error);
    this.#sends.abort();
  }

  /** Looks at how rows end: where all outcomes are unknown, there is no sense in going on. */
  observe(outcome: "added" | "rejected" | "unknown"): void {
    this.#unknownInRow = outcome === "unknown" ? this.#unknownInRow + 1 : 0;
    if (this.#unknownInRow < mostUnknownInRow) return;
    this.stop(
      new Failure(
        "service",
        `the outcome of the last ${mostUnknownInRow} rows is unknown: the service fails at all of them`,
        { retryable: false },
      ),
    );
  }
}
