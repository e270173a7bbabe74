import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { plainTarget } from "./target.ts";

/** Gives each request that `server` hears to `take`, and what is none to `refuse`. */
export function takeRequests(
  server: Server,
  refuse: (error: Error, connection: Duplex) => void,
  take: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  const hear = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { httpVersion, url, socket } = incoming;
    const hosts = hostHeaders(incoming);
    // RFC 9112, 3.2.
    if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
      refuse(new Error("there must be one Host"), socket);
      return;
    }
    outgoing.sendDate = false;
    incoming.url = plainTarget(url ?? "");
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

/** How many Host headers came; node:http shows the first alone. */
function hostHeaders({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let place = 0; place < rawHeaders.length; place += 2)
    if (rawHeaders[place]?.length === 4 && rawHeaders[place]?.toLowerCase() === "host") count += 1;
  return count;
}
