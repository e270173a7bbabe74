import type { RequestMasks } from "../secrets.ts";
import { toEntry, toRow } from "./request-entry.ts";
import type { RequestFacts } from "./request-facts.ts";

/** How many requests are remembered. */
export const maxEntries = 1_000;

/** An entry, whose texts are made when they are asked for: most entries are never read. */
export interface LoggedEntry {
  /** `STOREID-N`. */
  readonly id: string;
  /** Returns a RequestEntry as JSON text. */
  json(): string;
  /** Returns a RequestRow as JSON text. */
  row(): string;
}

/** The entries that a reader has not seen yet. */
interface UnreadEntries {
  readonly entries: readonly LoggedEntry[];
  /** How many were dropped before they could be read. */
  readonly missed: number;
  /** The position of the next read. */
  readonly next: number;
}

/** The last requests below /v1, each once it has ended. A position is the number of the entry to read next. */
export interface RequestLog {
  readonly storeId: () => string;
  add(facts: RequestFacts): void;
  /** Returns all remembered entries, oldest first. */
  entries(): readonly LoggedEntry[];
  /** Returns the entry `id`; undefined if it is not remembered. */
  find(id: string): LoggedEntry | undefined;
  /** Returns the positions of the oldest remembered entry, and of the next one. */
  bounds(): { readonly oldest: number; readonly next: number };
  /** Returns the position after the entry `id`; undefined if this log never had it. */
  readonly positionAfter: (id: string) => number | undefined;
  /** Returns at most `count` entries from `position` on. */
  readFrom(position: number, count?: number): UnreadEntries;
  /** Calls `listener` after each entry and each reset, until the returned function is called. */
  subscribe(listener: (event: "entry" | "reset") => void): () => void;
  /** Forgets all entries. Numbers continue, so that no id is used twice. */
  clear(): void;
}

/**
 * Makes an empty log. Numbers start at `firstNumber`, which must be higher than any number of an earlier
 * run of the same store. What is read is masked as `maskOf` says.
 */
export function makeRequestLog(
  storeId: () => string,
  firstNumber: number,
  maskOf: RequestMasks["maskOf"],
): RequestLog {
  /** The entry with the number `n` is at `n % maxEntries`. */
  const slots: Slot[] = [];
  let oldest = firstNumber;
  let next = firstNumber;
  const listeners = new Set<(event: "entry" | "reset") => void>();
  const read = (from: number, to: number): readonly LoggedEntry[] =>
    Array.from({ length: Math.max(0, to - from) }, (_none, at) =>
      entryOf(`${storeId()}-${from + at}`, slots[(from + at) % maxEntries], maskOf),
    );
  const positionAfter = (id: string): number | undefined => {
    const number = numberIn(id, storeId());
    return number >= firstNumber && number < next ? number + 1 : undefined;
  };
  return {
    storeId,
    add: (facts) => {
      slots[next % maxEntries] = { facts, json: undefined };
      next += 1;
      oldest = Math.max(oldest, next - maxEntries);
      for (const listener of listeners) listener("entry");
    },
    entries: () => read(oldest, next),
    find: (id) => {
      const after = positionAfter(id) ?? 0;
      return after > oldest ? read(after - 1, after)[0] : undefined;
    },
    bounds: () => ({ oldest, next }),
    positionAfter,
    readFrom: (position, count = maxEntries) => {
      const start = Math.max(position, oldest);
      const entries = read(start, Math.min(start + count, next));
      return { entries, missed: start - position, next: start + entries.length };
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clear: () => {
      slots.length = 0;
      oldest = next;
      for (const listener of listeners) listener("reset");
    },
  };
}

interface Slot {
  readonly facts: RequestFacts;
  json: string | undefined;
}

function entryOf(id: string, slot: Slot | undefined, maskOf: RequestMasks["maskOf"]): LoggedEntry {
  if (slot === undefined) throw new RangeError(`${id} is not remembered`);
  const { facts } = slot;
  return {
    id,
    json: () => (slot.json ??= shown((masks) => toEntry(id, facts, masks), maskOf)),
    row: () => shown((masks) => toRow(id, facts, masks), maskOf),
  };
}

/** Hides every text whole. */
const hideAll: RequestMasks["maskOf"] = () => () => "…";

/** Returns what `make` returns as JSON text. Where it fails, nothing of the texts is shown: one bad entry must not end the store. */
function shown(
  make: (masks: RequestMasks["maskOf"]) => object,
  maskOf: RequestMasks["maskOf"],
): string {
  try {
    return JSON.stringify(make(maskOf));
  } catch {
    return JSON.stringify(make(hideAll));
  }
}

function numberIn(id: string, storeId: string): number {
  const [, store, digits] = /^(.+)-(\d{1,16})$/.exec(id) ?? [];
  return store === storeId ? Number(digits) : Number.NaN;
}
