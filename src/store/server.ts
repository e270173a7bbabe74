import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { ioFailure } from "../errors.ts";
import { isSystemError } from "../files/private.ts";
import { trackFlights } from "./flights.ts";
import { answerMalformed } from "./malformed.ts";
import { stopServer } from "./stop.ts";
import { plainTarget } from "./target.ts";

/** What answers a request. */
export type Answer = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/** A port that is listened on. */
export interface Listening {
  readonly address: AddressInfo;
  /** Requests wait until it is called. */
  answerWith(answer: Answer): void;
  /** Stops listening, and resolves when the requests in flight have ended, after `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Where to listen; `now` dates what has to be said of malformed requests. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
}

// Slow clients may not hold a connection for ever; in ms.
const times = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
};

/** Listens on a port; 0 takes a free one. Throws an io Failure that names it. */
export async function listen({ host, port, now }: ListenOptions): Promise<Listening> {
  const ready = Promise.withResolvers<void>();
  let answer: Answer = (incoming, outgoing) => ready.promise.then(() => answer(incoming, outgoing));
  // The Host is looked at in takeRequests, to be answered with an Error body.
  const server = createServer({ ...times, requireHostHeader: false });
  const flights = trackFlights(server);
  takeRequests(server, answerMalformed(flights, now), (incoming, outgoing) =>
    flights.begin(incoming, outgoing, answer),
  );
  const address = await bind(server, host, port);
  return {
    address,
    answerWith: (next) => {
      answer = next;
      ready.resolve();
    },
    stop: (graceMs) => stopServer(server, flights, graceMs),
  };
}

/** Gives each request to `take`, and what is none to `refuse`. */
function takeRequests(
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

function bind(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenFailure(error, host, port)));
    server.listen({ host, port }, () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address);
    });
  });
}

function listenFailure(error: Error, host: string, port: number): Error {
  if (isSystemError(error, "EADDRINUSE"))
    return ioFailure(
      `port ${port} on ${host} is in use`,
      error,
      "give another one with --port, or --port 0 for a free one",
    );
  return ioFailure(`can't listen on port ${port} of ${host}: ${error.message}`, error);
}
