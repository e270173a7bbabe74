import { getRequestListener } from "@hono/node-server";
import { unreadableTarget } from "./http/malformed.ts";
import { dateHeader } from "./routes/responses.ts";
import { makeRoutes, type RouteParts } from "./routes/routes.ts";
import type { Answer } from "./http/server.ts";

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
