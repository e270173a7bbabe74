import type { LoggedEntry, RequestLog } from "./request-log.ts";

/** The destination of a stream. */
export interface StreamSink {
  write(text: string): void;
  /** Returns how many bytes the reader has not received yet. */
  pendingBytes(): number;
  close(): void;
}

/** The options of a reader of the stream. */
interface StreamOptions {
  /** The `Last-Event-ID` of a reader that resumes; undefined for only new entries. */
  readonly lastEventId: string | undefined;
  /** Whether the reader prefers gaps to more than 1,000 requests a second, like a page that people look at. */
  readonly isPaced: boolean;
}

/** A stream is cut off if its reader is this many bytes behind (store.md, Seeing what happens). */
export const maxPendingBytes = 1_048_576;
/** The interval of the comments that keep an idle stream open, in ms. */
export const heartbeatMs = 15_000;
/** Entries that arrive within this time, in ms, are sent together. */
const batchMs = 50;
/** The pause of a paced reader after a batch, in ms per entry. */
const pauseMsPerEntry = 1;
/** The minimum pause of a paced reader after a batch, in ms. */
const minPauseMs = 100;

/**
 * Streams the entries of `log` as server-sent events (HTML standard, 9.2) until the returned function
 * is called, or the reader is too far behind.
 */
export function streamEntries(
  log: RequestLog,
  sink: StreamSink,
  { lastEventId, isPaced }: StreamOptions,
): () => void {
  let position = log.bounds().next;
  let timer: NodeJS.Timeout | undefined;
  let pausedUntil = 0;
  let bound = maxPendingBytes;
  const send = (text: string): void => {
    const pending = sink.pendingBytes();
    if (pending > bound) return end();
    bound = Math.min(bound, pending + maxPendingBytes);
    sink.write(text);
  };
  const flush = (): void => {
    timer = undefined;
    const { entries, missed, next } = log.readFrom(position);
    position = next;
    if (isPaced)
      pausedUntil = performance.now() + Math.max(minPauseMs, entries.length * pauseMsPerEntry);
    send(`${missed > 0 ? gapEvent(missed) : ""}${entries.map(requestEvent).join("")}`);
  };
  const onEntry = (): void => {
    timer ??= setTimeout(flush, Math.max(batchMs, pausedUntil - performance.now()));
  };
  const onReset = (): void => {
    position = log.bounds().next;
    send(`event: reset\ndata: ${JSON.stringify({ store: log.storeId() })}\n\n`);
  };
  const unsubscribe = log.subscribe((event) => (event === "entry" ? onEntry() : onReset()));
  const heartbeat = setInterval(() => send(":\n\n"), heartbeatMs);
  function end(): void {
    clearTimeout(timer);
    clearInterval(heartbeat);
    unsubscribe();
    sink.close();
  }
  send(":\n\n");
  if (lastEventId !== undefined) {
    const known = log.positionAfter(lastEventId);
    if (known === undefined) send(gapEvent(null));
    position = known ?? log.bounds().oldest;
    flush();
    // The requested entries may exceed the bound, and the reader has had no time to receive them.
    bound = sink.pendingBytes() + maxPendingBytes;
  }
  return end;
}

function requestEvent({ id, json }: LoggedEntry): string {
  return `event: request\nid: ${id}\ndata: ${json}\n\n`;
}

/** Returns the event for missing requests: how many, or null if that is unknown. */
function gapEvent(missed: number | null): string {
  return `event: gap\ndata: {"missed":${missed}}\n\n`;
}
