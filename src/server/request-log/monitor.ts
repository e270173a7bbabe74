import type { EndedExchange } from "../http/exchange.ts";
import type { RequestMasks } from "../secrets.ts";
import { requestCounter } from "./request-counter.ts";
import { factsOf } from "./request-entry.ts";
import { RequestLog } from "./request-log.ts";
import { requestRates } from "./request-rates.ts";
import { outcomeOf } from "./types.ts";

/** Remembers and counts the requests below /v1 (`help store`). */
export type Monitor = ReturnType<typeof makeMonitor>;

/** Makes the monitor of the store that `storeId` names. */
export function makeMonitor(storeId: () => string, masks: RequestMasks) {
  // Higher than in any earlier run, as no run handles a thousand requests per ms.
  const log = new RequestLog(storeId, Date.now() * 1_000, masks.maskOf);
  const { count, counts, clear } = requestCounter();
  const rates = requestRates();
  return {
    log,
    rates,
    counts,
    /** Counts a request that will get no response, however long its client waits. */
    countHanging: count,
    /** Takes each request that has ended. */
    take: (exchange: EndedExchange): void => {
      if (!exchange.isService) return;
      const { key, keyId, sent } = exchange;
      if (key !== undefined && keyId !== undefined) masks.learn(key);
      rates.count(outcomeOf({ status: sent?.status }));
      log.add(factsOf(exchange));
      if (!exchange.isPage && exchange.fault?.wire !== "hang") count(exchange);
    },
    /** Forgets all requests. */
    clear: (): void => {
      clear();
      rates.clear();
      log.clear();
    },
    ...streamTracker(),
  };
}

/** The maximum number of open streams: one more is closed at once. */
const maxStreams = 100;

function streamTracker() {
  const streams = new Set<() => void>();
  let isOver = false;
  return {
    /** Ends the streams, now and from now on. */
    dispose: (): void => {
      isOver = true;
      for (const end of streams) end();
    },
    /** Registers a function that ends a stream, for `dispose`; returns a function that unregisters it. */
    trackStream: (end: () => void) => {
      if (isOver || streams.size >= maxStreams) end();
      streams.add(end);
      return () => streams.delete(end);
    },
  };
}
