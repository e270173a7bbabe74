import { makeSecretMask, type SecretMask } from "../../core/secrets.ts";
import type { Ended } from "../http/exchange.ts";
import { RequestFacts, toEntry, toRow } from "./request-entry.ts";
import { type Outcome, outcomeOf, type RatesUpdate } from "./types.ts";

/** How many requests are remembered, and how many bytes of them: the oldest go first. */
export const maxEntries = 1_000;
export const maxLogBytes = 32 * 1_048_576;

/** Called for each entry (`entry`) and reset (`reset`), and with what else is announced. */
type LogListener = (event: string, value: unknown) => void;

/** Returns the text of an entry: `entryText` or `rowText`. */
type TextOf = (id: string, facts: RequestFacts) => string;

/** The last requests below /v1, each once it has ended. A position is the number of the entry to read next. */
export class RequestLog {
  readonly storeId: () => string;
  readonly #firstNumber: number;
  /** A ring: position n is at n % maxEntries. */
  readonly #kept: RequestFacts[] = [];
  readonly #listeners = new Set<LogListener>();
  #oldest: number;
  #next: number;
  #bytes = 0;

  /** How many requests ended each second, those that are forgotten included. */
  readonly rates = requestRates();

  /** Numbers start at `firstNumber`, which must be higher than any number of an earlier run of the same store. */
  constructor(storeId: () => string, firstNumber: number) {
    this.storeId = storeId;
    this.#firstNumber = firstNumber;
    this.#oldest = firstNumber;
    this.#next = firstNumber;
  }

  /** Takes a request that has ended, if it is below /v1. */
  take(ended: Ended): void {
    if (!ended.request.isService) return;
    this.rates.count(outcomeOf({ status: ended.sent?.status }));
    if (this.#next - this.#oldest === maxEntries) this.#forgetOldest();
    const facts = (this.#kept[this.#next % maxEntries] ??= new RequestFacts());
    facts.take(ended, this.#kept[(this.#next - 1) % maxEntries] ?? facts);
    this.#bytes += facts.bytes;
    this.#next += 1;
    while (this.#bytes > maxLogBytes) this.#kept[this.#forgetOldest()] = new RequestFacts();
    this.announce("entry");
  }

  /** Returns where it was. */
  #forgetOldest(): number {
    const at = this.#oldest % maxEntries;
    this.#bytes -= this.#kept[at]?.bytes ?? 0;
    this.#oldest += 1;
    return at;
  }

  /** Returns the positions of the oldest remembered entry, and of the next one. */
  bounds() {
    return { oldest: this.#oldest, next: this.#next };
  }

  /** Returns the texts of at most `count` entries from `position` on, and how many were dropped before they could be read. */
  readFrom(position: number, count: number, textOf: TextOf) {
    const start = Math.max(position, this.#oldest);
    const next = Math.min(start + count, this.#next);
    const texts: string[] = [];
    for (let at = start; at < next; at += 1) {
      const facts = this.#kept[at % maxEntries];
      if (facts !== undefined) texts.push(textOf(`${this.storeId()}-${at}`, facts));
    }
    return { texts, missed: start - position, next };
  }

  /** Returns the text of the entry `id`; undefined if it is not remembered. */
  find(id: string, textOf: TextOf): string | undefined {
    const after = this.positionAfter(id) ?? 0;
    return after > this.#oldest ? this.readFrom(after - 1, 1, textOf).texts[0] : undefined;
  }

  /** Returns the position after the entry `id`; undefined if this log never had it. */
  positionAfter(id: string): number | undefined {
    const [, store, digits] = /^(.+)-(\d{1,16})$/.exec(id) ?? [];
    const number = Number(digits);
    const isOwn = store === this.storeId() && number >= this.#firstNumber && number < this.#next;
    return isOwn ? number + 1 : undefined;
  }

  /** Calls `listener` until the returned function is called. */
  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  announce(event: string, value?: unknown): void {
    for (const listener of this.#listeners) listener(event, value);
  }

  /** Forgets all entries. Numbers continue, so that no id is used twice. */
  clear(): void {
    this.#kept.length = 0;
    this.#bytes = 0;
    this.#oldest = this.#next;
    this.rates.clear();
    this.announce("reset", { store: this.storeId() });
  }
}

/** Returns an entry as JSON. */
export const entryText: TextOf = (id, facts) => JSON.stringify(toEntry(id, facts, maskOf(facts)));

/** Returns the row of an entry as JSON. */
export const rowText: TextOf = (id, facts) => JSON.stringify(toRow(id, facts, maskOf(facts)));

const maxMasks = 100;
const masks = new Map<string, SecretMask>();

/** Returns the mask of a request's own key, and of all keys that look as a store makes them. */
export function maskOf({ key = "" }: { readonly key?: string | undefined }): SecretMask {
  if (masks.size > maxMasks) masks.clear();
  // A shorter key would match ordinary text.
  const secrets = key.length >= 4 ? [key] : [];
  const mask = masks.get(key) ?? makeSecretMask(secrets, { hasStoreKeys: true });
  masks.set(key, mask);
  return mask;
}

/** How many seconds are counted, the current one included. */
export const ratedSeconds = 61;

/** Counts how many requests ended in each of the last seconds. */
export function requestRates(clock: () => number = Date.now) {
  const seconds = new Map<number, Partial<Record<Outcome, number>>>();
  return {
    count: (outcome: Outcome): void => {
      const second = Math.floor(clock() / 1000);
      const counts = seconds.get(second) ?? {};
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (seconds.has(second)) return;
      seconds.set(second, counts);
      for (const old of seconds.keys()) if (old <= second - ratedSeconds) seconds.delete(old);
    },
    /** Returns the counts from the second `from` on. */
    since: (from: number): RatesUpdate => ({
      now: clock(),
      seconds: [...seconds].filter(([second]) => second >= from),
    }),
    clear: (): void => seconds.clear(),
  };
}
