import type { RequestLog } from "./request-log.ts";

/** The interval of the comments that keep an idle stream open, in ms. */
export const heartbeatMs = 15_000;
/** Entries that arrive within this time, in ms, are sent together. */
const batchMs = 50;
/** How many entries are sent at once, to a reader and to the page. */
const [maxEntries, maxRows] = [50, 1_000];
/** The minimum pause of the page's stream after a batch, in ms; it is at least 1 ms for each row. */
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
  const { oldest, next } = log.bounds();
  let position = known ?? (lastEventId !== undefined || isPage ? oldest : next);
  const news = watch(log, isPage, signal, () => (position = log.bounds().next));
  /** The second up to which the page knows how many requests ended. */
  let ratedUntil = 0;
  const rates = (): string => {
    const update = log.rates.since(ratedUntil);
    ratedUntil = Math.floor(update.now / 1000);
    return eventText("rates", update);
  };
  try {
    const isLost = lastEventId !== undefined && known === undefined;
    yield `:\n\n${isLost ? eventText("gap", { missed: null }) : ""}`;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const announced = news.take();
      const { entries, missed, next: end } = log.readFrom(position, isPage ? maxRows : maxEntries);
      position = end;
      const { length } = entries;
      if (missed > 0) announced.push(eventText("gap", { missed }));
      for (const { id, row, json } of entries)
        announced.push(`event: request\nid: ${id}\ndata: ${isPage ? row() : json()}\n\n`);
      if (isPage && (isFirst || length > 0)) announced.push(rates());
      if (announced.length > 0) yield announced.join("");
      if (isPage && length > 0) await pause(Math.max(minPauseMs, length));
      if (length > 0) continue;
      if (!(await news.wait(heartbeatMs))) yield ":\n\n";
      else if (!signal.aborted) await pause(batchMs);
    }
  } finally {
    news.end();
  }
}

/** Collects what `log` announces; for the page all of it, for others that it was reset, at which `onReset` is called. */
function watch(log: RequestLog, isPage: boolean, signal: AbortSignal, onReset: () => void) {
  /** The last value of each event. */
  const announced = new Map<string, unknown>();
  let isNew = false;
  let wake: (() => void) | undefined;
  const end = log.subscribe((event, value) => {
    if (event === "reset") onReset();
    if (event === "reset") announced.set(event, { store: log.storeId() });
    else if (event !== "entry" && isPage) announced.set(event, value);
    isNew = true;
    wake?.();
  });
  signal.addEventListener("abort", () => wake?.());
  return {
    end,
    /** Returns the events since the last call. */
    take: (): string[] => {
      isNew = false;
      const events = [...announced].map(([event, value]) => eventText(event, value));
      announced.clear();
      return events;
    },
    /** Resolves with true as soon as there is something new, with false after `ms`. */
    wait: (ms: number): Promise<boolean> =>
      new Promise((resolve) => {
        if (isNew || signal.aborted) return resolve(true);
        const timer = setTimeout(resolve, ms, false);
        wake = () => {
          clearTimeout(timer);
          resolve(true);
        };
      }),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function eventText(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
