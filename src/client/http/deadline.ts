import { maxTimerMs } from "../../platform/io.ts";

/** What stops an exchange before its end. */
export type StopReason = "timeout" | "aborted";

/** The time-out and the outer signal of one exchange, and which of them stopped it. */
export class Deadline {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unsubscribe: () => void;
  #controller: AbortController | undefined;
  #reason: StopReason | undefined;
  #listener: (() => void) | undefined;

  /** Stops after `timeoutMs` (never if over 24 days, the most that a timer can wait), or when `outer` is aborted. */
  constructor(timeoutMs: number, outer: AbortSignal) {
    if (timeoutMs <= maxTimerMs) this.#timer = setTimeout(() => this.#stop("timeout"), timeoutMs);
    this.#unsubscribe = onAbort(outer, () => this.#stop("aborted"));
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

  /** Clears the timer and unsubscribes from the outer signal. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#unsubscribe();
  }

  #stop(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort();
    this.#listener?.();
  }
}

/** A callback, and its index in the list of all. */
interface Entry {
  readonly callback: () => void;
  index: number;
}

// Entries removed from an EventTarget, a Set or a Map may still point to later ones: in a bulk run each
// request would keep the next one alive until the next full garbage collection.
const entriesOf = new WeakMap<AbortSignal, Entry[]>();

/** Calls `callback` once `signal` is aborted (at once if it is); returns a function that unsubscribes, to be called once. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) callback();
  const entries = entriesOf.get(signal) ?? listenTo(signal);
  const entry: Entry = { callback, index: entries.length };
  entries.push(entry);
  return () => remove(entries, entry);
}

function listenTo(signal: AbortSignal): Entry[] {
  const entries: Entry[] = [];
  entriesOf.set(signal, entries);
  const notifyAll = (): void => entries.slice().forEach(({ callback }) => callback());
  signal.addEventListener("abort", notifyAll, { once: true });
  return entries;
}

/** Moves the last entry to the index of the removed one. */
function remove(entries: Entry[], { index }: Entry): void {
  const last = entries.pop();
  if (last === undefined || index === entries.length) return;
  entries[index] = last;
  last.index = index;
}
