import { maxTimerMs } from "../../platform/io.ts";

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

/** One who is to be told, and the place in the list of all that are. */
interface Entry {
  readonly callback: () => void;
  index: number;
}

// What is removed from an EventTarget, a Set or a Map may go on pointing to what was added later: of
// many requests each would keep the next, and all it holds, until the next collection of old memory.
const entriesOf = new WeakMap<AbortSignal, Entry[]>();

/** Calls `tell` once `signal` is aborted, at once where it is, until the answer is called, which is once. */
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
  const tellAll = (): void => entries.slice().forEach(({ callback }) => callback());
  signal.addEventListener("abort", tellAll, { once: true });
  return entries;
}

/** The last one takes the place of the one that goes. */
function remove(entries: Entry[], { index }: Entry): void {
  const last = entries.pop();
  if (last === undefined || index === entries.length) return;
  entries[index] = last;
  last.index = index;
}
