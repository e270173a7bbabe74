import { getRequestListener } from "@hono/node-server";
import { unreadableTarget } from "./malformed.ts";
import { dateHeader } from "./replies.ts";
import { makeRoutes, type RouteParts } from "./routes.ts";
import type { Answer } from "./server.ts";

/** What answers any request, by the routes. */
export function makeListener(parts: RouteParts): Answer {
  const date = dateHeader(parts.now);
  return getRequestListener(makeRoutes(parts).fetch, {
    // HTTP/1.0 has no Host.
    hostname: "localhost",
    errorHandler: () => {
      const { status, body } = unreadableTarget();
      const headers = { "Content-Type": "application/json", Date: date() };
      return new Response(body, { status, headers });
    },
  });
}
