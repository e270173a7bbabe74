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
