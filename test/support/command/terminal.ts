import stringWidth from "string-width";
import type { Clock, Output } from "../../../src/platform/io.ts";

export interface RecordedOutput extends Output {
  readonly text: string;
  readonly writes: readonly string[];
}

/** Returns an Output that records what is written to it; by default it is not a terminal. */
export function recordOutput(
  options: { readonly isTTY?: boolean; readonly columns?: number } = {},
): RecordedOutput {
  const writes: string[] = [];
  return {
    isTTY: options.isTTY ?? false,
    columns: options.columns,
    writes,
    get text() {
      return writes.join("");
    },
    async write(text) {
      writes.push(text);
    },
  };
}

/** A Clock whose time advances only when everything is waiting for it. */
export interface FakeClock extends Clock {
  /** All sleeps, in ms, in the order of the calls. */
  readonly sleeps: readonly number[];
  /** Advances both clocks by `ms` without waking anyone. */
  advance(ms: number): void;
  /** Makes the machine's clock jump by `ms`; the monotonic one continues unchanged. */
  jump(ms: number): void;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/**
 * Returns a Clock whose `sleep` returns as soon as the event loop is idle and then sets the time to the
 * time at which it should end; of several sleepers, the one that is due first wakes first.
 */
export function fakeClock(start = Date.UTC(2026, 10, 5, 12, 0, 0)): FakeClock {
  const sleepers: Sleeper[] = [];
  const sleeps: number[] = [];
  let elapsed = 0;
  let jumped = 0;
  const wakeNext = (): void => {
    sleepers.sort((a, b) => a.due - b.due);
    const next = sleepers.shift();
    if (next === undefined) return;
    elapsed = Math.max(elapsed, next.due);
    next.wake();
  };
  return {
    sleeps,
    now: () => Math.floor(start + elapsed + jumped),
    monotonic: () => elapsed,
    advance: (ms) => void (elapsed += ms),
    jump: (ms) => void (jumped += ms),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        sleeps.push(ms);
        const sleeper = { due: elapsed + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener("abort", () => {
          const place = sleepers.indexOf(sleeper);
          if (place >= 0) sleepers.splice(place, 1);
          reject(signal.reason);
        });
        setImmediate(wakeNext);
      }),
  };
}

/** Returns `text` without colour codes and other control sequences. */
export function withoutSequences(text: string): string {
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
}

/** Returns the width of the widest line of `text` in columns, without control sequences. */
export function widestLine(text: string): number {
  const lines = withoutSequences(text).split(/\r?\n|\r/);
  return Math.max(...lines.map((line) => stringWidth(line)));
}
