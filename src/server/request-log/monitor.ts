import type { EndedExchange, Exchange, ExchangeListener } from "../http/exchange.ts";
import type { RequestMasks } from "../secrets.ts";
import { type ChangeFeed, makeChangeFeed } from "./event-stream.ts";
import { requestCounter, type RequestCounts } from "./request-counter.ts";
import { factsOf } from "./request-facts.ts";
import { makeRequestLog, type RequestLog } from "./request-log.ts";
import { type RequestRates, requestRates } from "./request-rates.ts";
import { outcomeOf } from "./types.ts";

/** The maximum number of open streams: one more is closed at once. */
const maxStreams = 100;

/** Remembers and counts the requests below /v1 (`help store`). */
export interface Monitor {
  readonly log: RequestLog;
  readonly rates: RequestRates;
  readonly changes: ChangeFeed;
  readonly counts: () => RequestCounts;
  /** Counts a request that will get no response, however long its client waits. */
  readonly countHanging: (exchange: Exchange) => void;
  /** Takes each request that has ended. */
  readonly take: ExchangeListener;
  /** Forgets all requests. */
  readonly clear: () => void;
  /** Ends the streams, now and from now on. */
  readonly dispose: () => void;
  /** Registers a function that ends a stream, for `dispose`; returns a function that unregisters it. */
  readonly trackStream: (end: () => void) => () => void;
}

/** Makes the monitor of the store that `storeId` names. */
export function makeMonitor(storeId: () => string, masks: RequestMasks): Monitor {
  // Higher than in any earlier run, as no run handles a thousand requests per ms.
  const log = makeRequestLog(storeId, Date.now() * 1_000, masks.maskOf);
  const counter = requestCounter();
  const rates = requestRates();
  return {
    log,
    rates,
    changes: makeChangeFeed(),
    counts: counter.counts,
    countHanging: (exchange) => count(counter, exchange),
    take: (exchange) => {
      if (!exchange.isService) return;
      const { key, keyId, sent } = exchange;
      if (key !== undefined && keyId !== undefined) masks.learn(key);
      rates.count(outcomeOf({ status: sent?.status }));
      log.add(factsOf(exchange));
      if (!exchange.isPage && exchange.fault?.wire !== "hang") count(counter, exchange);
    },
    clear: () => {
      counter.clear();
      rates.clear();
      log.clear();
    },
    ...streamTracker(),
  };
}

function count(
  counter: ReturnType<typeof requestCounter>,
  { sent, isEarly, refusal, keyId = "" }: Exchange | EndedExchange,
): void {
  counter.countResponse(sent?.status ?? 0);
  if (isEarly) counter.countEarly();
  if (refusal?.isBan === true) counter.countBan(keyId, refusal.until);
}

function streamTracker(): Pick<Monitor, "dispose" | "trackStream"> {
  const streams = new Set<() => void>();
  let isOver = false;
  return {
    dispose: () => {
      isOver = true;
      for (const end of streams) end();
    },
    trackStream: (end) => {
      if (isOver || streams.size >= maxStreams) end();
      streams.add(end);
      return () => streams.delete(end);
    },
  };
}
