import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { normalizeHost } from "./host.ts";
import { normalizeTarget } from "./target.ts";

/** Gives each request that `server` hears to `take`, and what is none to `refuse`. */
export function onRequests(
  server: Server,
  refuse: (error: Error, connection: Duplex) => void,
  take: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  const hear = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (!normalizeHost(incoming)) outgoing.shouldKeepAlive = false;
    outgoing.sendDate = false;
    incoming.url = normalizeTarget(incoming.url ?? "");
    take(incoming, outgoing);
  };
  server.on("request", hear);
  server.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Unless the body is asked for, whether it comes is unknown, and so is where the next request begins.
    outgoing.shouldKeepAlive = false;
    hear(incoming, outgoing);
  });
  server.on("checkExpectation", hear);
  server.on("clientError", refuse);
  server.on("connect", (_request, socket) => refuse(new Error("CONNECT is not served"), socket));
}
