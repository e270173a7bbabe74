import { getRequestListener } from "@hono/node-server";
import type { GuardParts } from "./guard.ts";
import type { Lab } from "./lab.ts";
import { unreadableTarget } from "./malformed.ts";
import { dateHeader } from "./replies.ts";
import { type RequestReport, reportTo } from "./request-report.ts";
import { makeRoutes } from "./routes.ts";
import { type Answer, type Listening } from "./server.ts";
import { withShortCut } from "./short-cut.ts";

/** What the store tells of what it does. */
export interface StoreEvents {
  /** Called after each request. */
  readonly onRequest?: (report: RequestReport) => void;
  /** Called with an error that nobody expected; the client got a 500. */
  readonly onFault: (error: unknown) => void;
}

/** What a store is made of; with a lab, storage and limits are the lab's. */
interface StoreParts extends GuardParts {
  readonly lab?: Lab;
}

/** Opens the service on a port that is listened on. */
export function openStore(
  listening: Listening,
  parts: StoreParts,
  { onRequest, onFault }: StoreEvents,
): void {
  const routeParts = { ...parts, onFault };
  const routes = makeRoutes(routeParts);
  const date = dateHeader(parts.now);
  const listener = getRequestListener(routes.fetch, {
    // HTTP/1.0 has no Host.
    hostname: "localhost",
    errorHandler: () => {
      const { status, body } = unreadableTarget();
      const headers = { "Content-Type": "application/json", Date: date() };
      return new Response(body, { status, headers });
    },
  });
  const quick = withShortCut(routeParts, listener);
  const answer: Answer = parts.lab?.around(quick) ?? quick;
  listening.answerWith(onRequest === undefined ? answer : reportTo(onRequest, answer));
}
