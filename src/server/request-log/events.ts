import { entryText, type LogEntry, type RequestLog, rowText } from "./request-log.ts";

/** The interval of the comments that keep an idle stream open. */
export const heartbeatMs = 15_000;
/** Entries that arrive within this time are sent together. */
const batchMs = 50;
/** How many entries are sent at once, to a reader and to the page. */
const [maxEntries, maxRows] = [10, 1_000];
/** The minimum pause of the page's stream after a batch; it is at least 1 ms for each row. */
const minPauseMs = 250;

/** Yields requests as server-sent events (HTML standard, 9.2): those after `lastEventId`, without it only new ones. */
export async function* requestEvents(
  log: RequestLog,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const from = lastEventId === undefined ? log.bounds().next : log.positionAfter(lastEventId);
  for await (const { announced, entries } of readLog(log, from, maxEntries, signal)) {
    const own = [...announced].filter(([event]) => event === "gap" || event === "reset");
    const texts = own.map(eventText);
    yield [...texts, ...entries.map((entry) => requestText(entry, entryText))].join("") || comment;
  }
}

/** Yields the page's events: rows, at most 1,000 a second, remembered ones first; counts by second; what is announced. */
export async function* pageEvents(
  log: RequestLog,
  lastEventId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const from = lastEventId === undefined ? log.bounds().oldest : log.positionAfter(lastEventId);
  /** The second up to which the page knows how many requests ended. */
  let ratedUntil: number | undefined;
  for await (const { announced, entries } of readLog(log, from, maxRows, signal)) {
    const texts = [...announced].map(eventText);
    for (const entry of entries) texts.push(requestText(entry, rowText));
    if (ratedUntil === undefined || entries.length > 0) {
      const rates = log.rates.since(ratedUntil ?? 0);
      ratedUntil = Math.floor(rates.now / 1000);
      texts.push(eventText(["rates", rates]));
    }
    yield texts.join("") || comment;
    if (entries.length > 0) await pause(Math.max(minPauseMs, entries.length));
  }
}

/** Yields what is new from a position on, and the last value of each event. A reader that is too slow gets a `gap`. */
async function* readLog(
  log: RequestLog,
  from: number | undefined,
  count: number,
  signal: AbortSignal,
) {
  let position = from ?? log.bounds().oldest;
  let announced = new Map<string, unknown>();
  if (from === undefined) announced.set("gap", { missed: null });
  let news = Promise.withResolvers<boolean>();
  const wake = (): void => news.resolve(true);
  signal.addEventListener("abort", wake);
  const unsubscribe = log.subscribe((event, value) => {
    if (event === "reset") position = log.bounds().next;
    if (event !== "entry") announced.set(event, value);
    wake();
  });
  try {
    while (!signal.aborted) {
      news = Promise.withResolvers();
      const { entries, missed, next } = log.readFrom(position, count);
      if (missed > 0) announced.set("gap", { missed });
      const events = announced;
      announced = new Map();
      position = next;
      yield { announced: events, entries };
      // So that other requests are handled between the batches of many streams.
      if (entries.length > 0) await pause(0);
      else {
        const heartbeat = setTimeout(news.resolve, heartbeatMs, false);
        const isNew = await news.promise;
        clearTimeout(heartbeat);
        if (isNew && !signal.aborted) await pause(batchMs);
      }
    }
  } finally {
    unsubscribe();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const comment = ":\n\n";

const requestText = (entry: LogEntry, textOf: typeof entryText): string =>
  `event: request\nid: ${entry.id}\ndata: ${textOf(entry)}\n\n`;

function eventText([event, value]: readonly [event: string, value: unknown]): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
