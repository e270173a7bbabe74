import { maxTimerMs } from "../../platform/io.ts";
import { onAbort } from "./on-abort.ts";

/** What stops an exchange before its end. */
export type StopReason = "timeout" | "aborted";

/** What stops one exchange, and why it did. */
export class Deadline {
  // No object literal: one with a getter gets a shape of its own each time, which keeps all that it
  // refers to until old memory is collected. Of many requests that cost a sixth of a bulk run's time.
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unsubscribe: () => void;
  #controller: AbortController | undefined;
  #reason: StopReason | undefined;
  #listener: (() => void) | undefined;

  /** Stops after `timeoutMs` (never, where a timer can't wait so long: 24 days), or when `outer` is aborted. */
  constructor(timeoutMs: number, outer: AbortSignal) {
    if (timeoutMs <= maxTimerMs) this.#timer = setTimeout(() => this.#stop("timeout"), timeoutMs);
    this.#unsubscribe = onAbort(outer, () => this.#stop("aborted"));
  }

  /** Aborted when it stops; made when it is first asked for, as most exchanges need none. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort();
    return this.#controller.signal;
  }

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Has `listener` called when it stops, or at once where it has; none but the last one is. */
  onStop(listener: () => void): void {
    this.#listener = listener;
    if (this.#reason !== undefined) listener();
  }

  /** Forgets the deadline. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#unsubscribe();
  }

  #stop(why: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = why;
    this.#controller?.abort();
    this.#listener?.();
  }
}
