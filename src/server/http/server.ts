import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage, ioFailure, isSystemError } from "../../core/errors.ts";
import { type ApiResponse, completeResponses, type RouteResponse } from "../api/response.ts";
import {
  closeStalled,
  limitConnections,
  trackConnections,
  trackHandshakes,
} from "./connection-tracker.ts";
import type { EndedExchange, Exchange, ExchangeListener, ServerClocks } from "./exchange.ts";
import { rejectMalformed } from "./malformed.ts";
import { takeRequests } from "./request-intake.ts";
import { send } from "./send.ts";
import { stopServer } from "./shutdown.ts";
import { type TlsIdentity, tlsOptions } from "./tls.ts";

/** What a server serves. */
interface ServedHandlers {
  /** Returns the response to each request; it never throws. */
  readonly handle: (exchange: Exchange) => Promise<ApiResponse>;
  /** Returns the response to what is no request, which counts for the address that it came from. */
  readonly completeMalformed: (response: RouteResponse, remoteAddress: string) => ApiResponse;
  /** Each is told of every exchange that has ended. */
  readonly listeners: readonly ExchangeListener[];
}

/** A server that is listening. */
export interface Listening {
  readonly address: AddressInfo;
  /** Starts to handle requests; until then they wait. */
  serve(handlers: ServedHandlers): void;
  /** Stops listening, and resolves when the requests in flight have ended, after `graceMs` at most. */
  stop(graceMs: number): Promise<void>;
}

/** Where to listen, and by which clocks. */
export interface ListenOptions extends Omit<ServerClocks, "elapsed"> {
  readonly elapsed?: ServerClocks["elapsed"];
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsIdentity | undefined;
  readonly times?: ServerTimes;
  /** How many connections may be open. */
  readonly maxConnections?: number;
}

/** The default maximum of open connections; an idle one takes about 10 kB. */
const defaultMaxConnections = 4_000;

/** Listens on a port; 0 picks a free one. Throws an io Failure that names the port. */
export async function listen({
  host,
  port,
  now,
  elapsed = () => performance.now(),
  tls,
  times = serverTimes,
  maxConnections = defaultMaxConnections,
}: ListenOptions): Promise<Listening> {
  const clocks = { now, elapsed };
  const served = Promise.withResolvers<ServedHandlers>();
  const server = await makeServer(tls, times);
  const isTls = tls !== undefined;
  const tracker = trackConnections(server, isTls, clocks);
  const handshakes = trackHandshakes(server, isTls);
  limitConnections(server, tracker, handshakes, maxConnections);
  closeStalled(server, tracker);
  let handlers: ServedHandlers | undefined;
  const complete = completeResponses(now, () => undefined);
  const completeBare = (response: RouteResponse): ApiResponse => complete(response, undefined);
  takeRequests(server, {
    connectionOf: tracker.connectionOf,
    clocks,
    take: (exchange) => {
      const parts = endAfter(2, exchange, elapsed, () => handlers?.listeners ?? []);
      const handle = async (): Promise<void> => {
        send(exchange, await (handlers ?? (await served.promise)).handle(exchange), clocks);
        parts();
      };
      tracker.dispatch(exchange, () => void handle(), parts);
    },
    refuse: rejectMalformed(tracker, (response, remoteAddress) =>
      (handlers?.completeMalformed ?? completeBare)(response, remoteAddress),
    ),
  });
  const address = await bind(server, host, port);
  return {
    address,
    serve: (given) => {
      handlers = given;
      served.resolve(given);
    },
    stop: (graceMs) => stopServer(server, tracker, handshakes, graceMs),
  };
}

/**
 * Returns a function to call when a part of an exchange is over; after `count` of them the exchange has ended,
 * and the listeners are told.
 */
function endAfter(
  count: number,
  exchange: Exchange,
  elapsed: () => number,
  listeners: () => readonly ExchangeListener[],
): () => void {
  let left = count;
  return () => {
    left -= 1;
    if (left > 0) return;
    const ended: EndedExchange = Object.assign(exchange, { endedAt: elapsed() });
    for (const listener of listeners()) listener(ended);
  };
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
      "use another one with --port, or --port 0 for a free one",
    );
  return ioFailure(`cannot listen on port ${port} of ${host}: ${errorMessage(error)}`, error);
}

/** How long a slow client may hold a connection, in ms. */
export interface ServerTimes {
  /**
   * From the first byte of a request, or the start of the connection, to the end of the headers.
   */
  readonly headersTimeout: number;
  /** To the end of the body. */
  readonly requestTimeout: number;
  /** From a reply to the next request. */
  readonly keepAliveTimeout: number;
  readonly connectionsCheckingInterval: number;
  /** For the TLS handshake. */
  readonly handshakeTimeout: number;
  /** While the client reads nothing of a reply. */
  readonly timeout: number;
}

/** The timeouts of a real store; tests use shorter ones. */
export const serverTimes: ServerTimes = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  handshakeTimeout: 10_000,
  timeout: 30_000,
};

/** Creates a server for HTTP/1.1, over TLS if there is an identity; it does not listen yet. */
async function makeServer(
  tls: TlsIdentity | undefined,
  { timeout, ...times }: ServerTimes,
): Promise<Server> {
  // The Host is checked in request-intake, so that the reply has an Error body.
  const options = { ...times, requireHostHeader: false };
  const server =
    tls === undefined ? createServer(options) : await makeTlsServer({ ...options, ...tls });
  server.timeout = timeout;
  return server;
}

async function makeTlsServer(options: object): Promise<Server> {
  const https = await import("node:https");
  return https.createServer({ ...options, ...tlsOptions });
}
