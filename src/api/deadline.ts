import { longestTimer } from "../io.ts";

/** What stops an exchange before its end. */
export type StopReason = "timeout" | "aborted";

/** A signal that stops one exchange, and why it did. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly reason: StopReason | undefined;
  /** Forgets the deadline. */
  clear(): void;
}

/**
 * A signal that is aborted after `timeoutMs` (never, where a timer can't wait so long: 24 days), or
 * when `outer` is.
 */
export function startDeadline(timeoutMs: number, outer: AbortSignal): Deadline {
  const controller = new AbortController();
  let reason: StopReason | undefined;
  const stop = (why: StopReason): void => {
    reason ??= why;
    controller.abort();
  };
  const onOuter = (): void => stop("aborted");
  const timer =
    timeoutMs <= longestTimer ? setTimeout(() => stop("timeout"), timeoutMs) : undefined;
  outer.addEventListener("abort", onOuter);
  if (outer.aborted) onOuter();
  return {
    signal: controller.signal,
    get reason() {
      return reason;
    },
    clear() {
      clearTimeout(timer);
      outer.removeEventListener("abort", onOuter);
    },
  };
}
