import { maxTimerMs } from "../../platform/io.ts";

/** What stops an exchange before its end. */
export type StopReason = "timeout" | "aborted";

/** The time-out of one exchange, and whether that or the end of the command stopped it. */
export class Deadline {
  readonly #timer: NodeJS.Timeout | undefined;
  #controller: AbortController | undefined;
  #reason: StopReason | undefined;
  #listener: (() => void) | undefined;

  /** Stops after `timeoutMs`; never if that is over 24 days, the most that a timer can wait. */
  constructor(timeoutMs: number) {
    if (timeoutMs <= maxTimerMs) this.#timer = setTimeout(() => this.stop("timeout"), timeoutMs);
  }

  /** Aborted when it stops; created on first use, as most exchanges need none. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort();
    return this.#controller.signal;
  }

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Calls `listener` when it stops, or at once if it has; only the last listener is called. */
  onStop(listener: () => void): void {
    this.#listener = listener;
    if (this.#reason !== undefined) listener();
  }

  stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort();
    this.#listener?.();
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
