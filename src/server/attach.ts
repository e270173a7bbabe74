import type { GuardParts } from "./routes/auth.ts";
import type { FaultInjector } from "./faults/index.ts";
import { type AccessLogEntry, withAccessLog } from "./http/access-log.ts";
import type { RouteParts } from "./routes/routes.ts";
import { type Answer, type Listening } from "./http/server.ts";
import { withShortCut } from "./http/short-cut.ts";

/** What the store tells of what it does. */
export interface StoreEvents {
  /** Called after each request. */
  readonly onRequest?: (report: AccessLogEntry) => void;
  /** Called with an error that nobody expected; the client got a 500. */
  readonly onFault: (error: unknown) => void;
}

/** What a store is made of; with a lab, storage and limits are the lab's. */
interface StoreParts extends GuardParts {
  readonly lab?: FaultInjector;
}

/** Opens the service on a port that is listened on. */
export function attachService(
  listening: Listening,
  parts: StoreParts,
  { onRequest, onFault }: StoreEvents,
): void {
  const routeParts = { ...parts, onFault };
  const quick = withShortCut(routeParts, lazyListener(routeParts));
  const answer: Answer = parts.lab?.wrap(quick) ?? quick;
  listening.answerWith(
    onRequest === undefined ? answer : withAccessLog(onRequest, answer),
    (address, moment) => parts.limits.countAnonymous(address, moment),
  );
}

/**
 * What answers by the routes, made when the first request needs them: loading them takes as long as
 * starting Node, because they ask for all that is in `fetch`.
 */
function lazyListener(parts: RouteParts): Answer {
  let listener: Answer | undefined;
  const load = async (): Promise<Answer> => {
    const { makeListener } = await import("./listener.ts");
    listener ??= makeListener(parts);
    return listener;
  };
  return async (incoming, outgoing) => (listener ?? (await load()))(incoming, outgoing);
}
