import { notFound } from "../api/errors.ts";
import type { Route } from "../routes/router.ts";
import { jsonText } from "../routes/store-area.ts";
import { pageEvents, requestEvents } from "./events.ts";
import { entryText, maxEntries, type RequestLog } from "./request-log.ts";

/** How many entries are formatted at once. */
const maxPart = 10;
/** How often a stream without events checks that its key is still valid. */
const checkMs = 1_000;

/** Returns the routes that show what happened in a store. */
export function requestLogRoutes(log: RequestLog): readonly Route[] {
  return [
    {
      path: "/_store/requests",
      GET: ({ request }) => {
        const last = Math.trunc(Number(new URLSearchParams(request.query).get("last")));
        const stream = () => entriesText(log, last > 0 ? last : maxEntries);
        return { ...jsonText(""), stream };
      },
    },
    {
      path: "/_store/requests/{id}",
      GET: (_exchange, parameter) => {
        const text = log.find(parameter, entryText);
        if (text === undefined) throw notFound("the store does not remember this request");
        return jsonText(text);
      },
    },
    {
      path: "/_store/events",
      GET: ({ request, isPage, isStillAllowed }) => {
        const lastEventId = request.incoming.headers["last-event-id"]?.toString();
        const events = isPage ? pageEvents : requestEvents;
        return {
          status: 200,
          body: "",
          headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
          stream: (signal) =>
            whileAllowed((stop) => events(log, lastEventId, stop), signal, isStillAllowed),
        };
      },
    },
  ];
}

/** Yields the last entries as a JSON array, in parts: all of it at once would take as much memory again. */
async function* entriesText(log: RequestLog, last: number): AsyncGenerator<string> {
  const { oldest, next: end } = log.bounds();
  let position = Math.max(oldest, end - last);
  let separator = "[";
  while (position < end) {
    const { texts, next } = log.readFrom(position, Math.min(maxPart, end - position), entryText);
    position = next;
    for (const text of texts) {
      yield separator + text;
      separator = ",";
    }
  }
  yield separator === "[" ? "[]" : "]";
}

/** Yields what `events` does until `signal`, or until its key has lost its right. */
async function* whileAllowed(
  events: (signal: AbortSignal) => AsyncIterable<string>,
  signal: AbortSignal,
  isAllowed: () => Promise<boolean> = async () => true,
): AsyncGenerator<string> {
  const revoked = new AbortController();
  // If this cannot be read, the stream ends.
  const check = async (): Promise<boolean> => {
    const isStill = await isAllowed().catch(() => false);
    if (!isStill) revoked.abort();
    return isStill;
  };
  const timer = setInterval(() => void check(), checkMs);
  try {
    for await (const text of events(AbortSignal.any([signal, revoked.signal]))) {
      if (!(await check())) return;
      yield text;
    }
  } finally {
    clearInterval(timer);
  }
}
