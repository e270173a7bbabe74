import type { FaultInjector } from "../faults/index.ts";
import type { RequestHandler } from "../http/request-intake.ts";
import { notesOf, type RequestNotes } from "../http/request-notes.ts";
import { type ChangeFeed, makeChangeFeed } from "./event-stream.ts";
import type { StoreControl } from "./control-routes.ts";
import type { AuthParts } from "../routes/auth.ts";
import { requestMasks } from "../secrets.ts";
import { isPageRequest } from "./page-access.ts";
import { withRecorder } from "./recorder.ts";
import { requestCounter, type RequestCounts } from "./request-counter.ts";
import type { RequestFacts } from "./request-entry.ts";
import { makeRequestLog, type RequestLog } from "./request-log.ts";
import { type RequestRates, requestRates } from "./request-rates.ts";
import { outcomeOf, pageKeyId } from "./types.ts";
import { makeSessions, type PageSessions } from "./sessions.ts";

/** The maximum number of open streams: one more is closed at once. */
const maxStreams = 100;

/** The parts of a store that can be inspected. */
export interface InspectedParts extends AuthParts {
  /** The fault injector, if the store may be changed from outside. */
  readonly faults?: FaultInjector;
  /** The keys that this process has issued. */
  readonly issuedKeys?: readonly string[];
  /** Whether there is a page. */
  readonly hasPage?: boolean;
  readonly control?: StoreControl;
  /** Returns the name of the profile in which the store is saved, if it is. */
  readonly profile?: () => string | undefined;
}

/** Shows what happens in a running store (`help store`). */
export interface Inspector {
  readonly log: RequestLog;
  readonly rates: RequestRates;
  readonly changes: ChangeFeed;
  /** Undefined if there is no page. */
  readonly sessions: PageSessions | undefined;
  readonly counts: () => RequestCounts;
  /** Resets the store to the seed; only if there are faults. */
  reset(): Promise<void>;
  /** Wraps `handler` to record its requests. */
  wrap(handler: RequestHandler): RequestHandler;
  /** Ends the streams, now and from now on. */
  dispose(): void;
  /** Registers a function that ends a stream, for `dispose`; returns a function that unregisters it. */
  readonly trackStream: (end: () => void) => () => void;
}

/** Makes the inspector of a store, which sees the requests that pass through `wrap`. */
export function makeInspector({
  storage,
  now,
  faults,
  issuedKeys = [],
  hasPage,
}: InspectedParts): Inspector {
  // Higher than in any earlier run, as no run handles a thousand requests per ms.
  const log = makeRequestLog(storage.storeId, Date.now() * 1_000, requestMasks(issuedKeys));
  const sessions = hasPage === true ? makeSessions(storage.pageSecret) : undefined;
  const counter = requestCounter();
  const rates = requestRates();
  const changes = makeChangeFeed();
  const record = (
    facts: RequestFacts,
    { keyId = "", bannedUntil, isEarly }: RequestNotes,
  ): void => {
    rates.count(outcomeOf(facts));
    log.add(facts);
    if (facts.keyId === pageKeyId) return;
    counter.countReply(facts.status ?? 0);
    if (isEarly) counter.countEarly();
    if (bannedUntil !== undefined) counter.countBan(keyId, bannedUntil);
  };
  return {
    log,
    rates,
    changes,
    sessions,
    counts: faults?.counts ?? counter.counts,
    reset: async () => {
      await faults?.reset();
      rates.clear();
      log.clear();
    },
    wrap: (handler) => {
      const recorded = withRecorder(now, record, handler);
      return (incoming, outgoing) => {
        if (sessions !== undefined && isPageRequest(incoming, sessions))
          notesOf(incoming).isPage = true;
        return recorded(incoming, outgoing);
      };
    },
    ...streamTracker(),
  };
}

function streamTracker(): Pick<Inspector, "dispose" | "trackStream"> {
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
