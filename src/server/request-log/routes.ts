import { notFound } from "../api/errors.ts";
import type { Route } from "../routes/router.ts";
import { jsonText } from "../routes/store-area.ts";
import { pageEvents, requestEvents } from "./events.ts";
import { entryText, type RequestLog } from "./request-log.ts";

/** Returns the routes that show what happened in a store. */
export function requestLogRoutes(log: RequestLog): readonly Route[] {
  return [
    {
      path: "/_store/requests",
      GET: (exchange) => {
        const last = Number(new URLSearchParams(exchange.query).get("last"));
        const entries = log.entries().slice(-Math.max(0, last));
        return jsonText(`[${entries.map(entryText).join(",")}]`);
      },
    },
    {
      path: "/_store/requests/{id}",
      GET: (_exchange, parameter) => {
        const entry = log.find(parameter);
        if (entry === undefined) throw notFound("the store does not remember this request");
        return jsonText(entryText(entry));
      },
    },
    {
      path: "/_store/events",
      GET: ({ incoming, isPage }) => {
        const lastEventId = incoming.headers["last-event-id"]?.toString();
        const events = isPage ? pageEvents : requestEvents;
        return {
          status: 200,
          body: "",
          headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
          stream: (signal) => events(log, lastEventId, signal),
        };
      },
    },
  ];
}
