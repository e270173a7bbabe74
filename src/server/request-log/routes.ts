import { notFound } from "../api/errors.ts";
import type { Route } from "../routes/router.ts";
import { jsonText } from "../routes/store-area.ts";
import { requestEvents } from "./events.ts";
import type { RequestLog } from "./request-log.ts";

/** Returns the routes that show what happened in a store. */
export function requestLogRoutes(log: RequestLog): readonly Route[] {
  return [
    {
      path: "/_store/requests",
      GET: (exchange) => {
        const last = Number(new URLSearchParams(exchange.query).get("last"));
        const entries = log.entries().slice(-Math.max(0, last));
        return jsonText(`[${entries.map((entry) => entry.json()).join(",")}]`);
      },
    },
    {
      path: "/_store/requests/{id}",
      GET: (_exchange, parameter) => {
        const entry = log.find(parameter);
        if (entry === undefined) throw notFound("the store does not remember this request");
        return jsonText(entry.json());
      },
    },
    {
      path: "/_store/events",
      GET: ({ incoming, isPage }) => {
        const lastEventId = incoming.headers["last-event-id"]?.toString();
        return {
          status: 200,
          body: "",
          headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" },
          stream: (signal) => requestEvents(log, { lastEventId, isPage }, signal),
        };
      },
    },
  ];
}
