import { entryText, type RequestLog, rowText } from "./request-log.ts";

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
  for await (const { announced, texts } of readLog(log, from, maxEntries, entryText, signal)) {
    const own = [...announced].filter(([event]) => event === "gap" || event === "reset");
    yield [...own.map(eventText), ...texts].join("") || comment;
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
  for await (const { announced, texts } of readLog(log, from, maxRows, rowText, signal)) {
    const events = [...[...announced].map(eventText), ...texts];
    if (ratedUntil === undefined || texts.length > 0) {
      const rates = log.rates.since(ratedUntil ?? 0);
      ratedUntil = Math.floor(rates.now / 1000);
      events.push(eventText(["rates", rates]));
    }
    yield events.join("") || comment;
    if (texts.length > 0) await pause(Math.max(minPauseMs, texts.length));
  }
}

/** Yields what is new from a position on, and the last value of each event. A reader that is too slow gets a `gap`. */
async function* readLog(
  log: RequestLog,
  from: number | undefined,
  count: number,
  textOf: typeof entryText,
  signal: AbortSignal,
) {
  const eventOf: typeof entryText = (id, facts) =>
    `event: request\nid: ${id}\ndata: ${textOf(id, facts)}\n\n`;
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
      const { texts, missed, next } = log.readFrom(position, count, eventOf);
      if (missed > 0) announced.set("gap", { missed });
      const events = announced;
      announced = new Map();
      position = next;
      yield { announced: events, texts };
      // So that other requests are handled between the batches of many streams.
      if (texts.length > 0) await pause(0);
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

function eventText([event, value]: readonly [event: string, value: unknown]): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
}
