import { longestTimer } from "../io.ts";

/** What stops an exchange before its end. */
export type StopReason = "timeout" | "aborted";

/** What stops one exchange, and why it did. */
export interface Deadline {
  /** Aborted when it stops; made when it is first asked for, as most exchanges need none. */
  readonly signal: AbortSignal;
  readonly reason: StopReason | undefined;
  /** Has `listener` called when it stops, or at once where it has; none but the last one is. */
  onStop(listener: () => void): void;
  /** Forgets the deadline. */
  clear(): void;
}

/**
 * What stops an exchange after `timeoutMs` (never, where a timer can't wait so long: 24 days), or
 * when `outer` is aborted.
 */
export function startDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  let controller: AbortController | undefined;
  let reason: StopReason | undefined;
  let tell: (() => void) | undefined;
  const stop = (why: StopReason): void => {
    if (reason !== undefined) return;
    reason = why;
    controller?.abort();
    tell?.();
  };
  const onOuter = (): void => stop("aborted");
  const timer =
    timeoutMs <= longestTimer ? setTimeout(() => stop("timeout"), timeoutMs) : undefined;
  outer.addEventListener("abort", onOuter);
  if (outer.aborted) onOuter();
  return {
    get signal() {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort();
      return controller.signal;
    },
    get reason() {
      return reason;
    },
    onStop(listener) {
      tell = listener;
      if (reason !== undefined) listener();
    },
    clear() {
      clearTimeout(timer);
      outer.removeEventListener("abort", onOuter);
    },
  };
}
