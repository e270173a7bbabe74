import type { RequestLog } from "./request-log.ts";

/** The interval of the comments that keep an idle stream open. */
export const heartbeatMs = 15_000;
/** Entries that arrive within this time are sent together. */
const batchMs = 50;
/** How many entries are sent at once, to a reader and to the page. */
const [maxEntries, maxRows] = [50, 1_000];
/** The minimum pause of the page's stream after a batch; it is at least 1 ms for each row. */
const minPauseMs = 250;

/**
 * Yields the requests in `log` as server-sent events (HTML standard, 9.2), and each new one once it has ended, until
 * `signal` is aborted. The log is the buffer: a reader that is too slow misses what the log forgets, and gets a `gap`.
 * `lastEventId` is the `Last-Event-ID` of one that resumes. The page gets rows instead of entries, those that are
 * remembered first, how many requests ended each second, what is announced, and gaps rather than over 1,000 rows a second.
 */
export async function* requestEvents(
  log: RequestLog,
  { lastEventId, isPage }: { readonly lastEventId: string | undefined; readonly isPage: boolean },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const known = lastEventId === undefined ? undefined : log.positionAfter(lastEventId);
  const { oldest, next: newest } = log.bounds();
  let position = known ?? (lastEventId !== undefined || isPage ? oldest : newest);
  /** The last value of each event that is not sent yet. */
  const announced = new Map<string, unknown>();
  if (lastEventId !== undefined && known === undefined) announced.set("gap", { missed: null });
  /** Resolves with true as soon as there is something new, with false at the next heartbeat. */
  let news = Promise.withResolvers<boolean>();
  const wake = (): void => news.resolve(true);
  signal.addEventListener("abort", wake);
  const unsubscribe = log.subscribe((event, value) => {
    if (event === "reset") {
      position = log.bounds().next;
      announced.set(event, { store: log.storeId() });
    } else if (event !== "entry" && isPage) announced.set(event, value);
    wake();
  });
  /** The second up to which the page knows how many requests ended. */
  let ratedUntil = 0;
  try {
    yield ":\n\n";
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      news = Promise.withResolvers();
      const texts = [...announced].map(([event, value]) => eventText(event, value));
      announced.clear();
      const { entries, missed, next } = log.readFrom(position, isPage ? maxRows : maxEntries);
      position = next;
      if (missed > 0) texts.push(eventText("gap", { missed }));
      for (const { id, row, json } of entries)
        texts.push(`event: request\nid: ${id}\ndata: ${isPage ? row() : json()}\n\n`);
      if (isPage && (isFirst || entries.length > 0)) {
        const rates = log.rates.since(ratedUntil);
        ratedUntil = Math.floor(rates.now / 1000);
        texts.push(eventText("rates", rates));
      }
      if (texts.length > 0) yield texts.join("");
      if (isPage && entries.length > 0) await pause(Math.max(minPauseMs, entries.length));
      if (entries.length > 0) continue;
      const heartbeat = setTimeout(news.resolve, heartbeatMs, false);
      const isNew = await news.promise;
      clearTimeout(heartbeat);
      if (!isNew) yield ":\n\n";
      else if (!signal.aborted) await pause(batchMs);
    }
  } finally {
    unsubscribe();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function eventText(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
