import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage, ioFailure, isSystemError } from "../../core/errors.ts";
import type { ApiResponse, RouteResponse } from "../api/response.ts";
import {
  type ConnectionTracker,
  closeStalled,
  limitConnections,
  stopServer,
  trackConnections,
  trackHandshakes,
} from "./connections.ts";
import { Exchange, type ExchangeListener, type ServerClocks } from "./exchange.ts";
import { rejectMalformed } from "./malformed.ts";
import { send } from "./send.ts";
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
export interface ListenOptions
  extends Pick<ServerClocks, "now">, Partial<Pick<ServerClocks, "elapsed">> {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsIdentity | undefined;
  readonly times?: typeof serverTimes;
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
  const onRequest = requestListener(tracker, clocks, () => handlers ?? served.promise);
  const refuse = rejectMalformed(tracker, (response, remoteAddress) =>
    handlers?.completeMalformed(response, remoteAddress),
  );
  server.on("request", onRequest).on("checkExpectation", onRequest).on("clientError", refuse);
  server.on("connect", (_request, socket) => refuse(new Error("CONNECT is not served"), socket));
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

/** Returns the listener for requests, which are handled once `ready` has handlers. */
function requestListener(
  tracker: ConnectionTracker,
  clocks: ServerClocks,
  ready: () => ServedHandlers | Promise<ServedHandlers>,
) {
  const handle = async (exchange: Exchange): Promise<void> => {
    const served = ready();
    const handlers = served instanceof Promise ? await served : served;
    exchange.listeners = handlers.listeners;
    send(exchange, await handlers.handle(exchange), clocks);
    endPart(exchange, clocks);
  };
  const onClose = (exchange: Exchange): void => endPart(exchange, clocks);
  return (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const exchange = new Exchange(incoming, outgoing, tracker.connectionOf(incoming), clocks);
    outgoing.sendDate = false;
    if (!exchange.hasValidHost) outgoing.shouldKeepAlive = false;
    tracker.dispatch(exchange, handle, onClose);
  };
}

/** Tells the listeners of an exchange that has ended, which its handler and its connection both have to do. */
function endPart(exchange: Exchange, { elapsed }: ServerClocks): void {
  exchange.openParts -= 1;
  if (exchange.openParts > 0) return;
  exchange.endedAt = elapsed();
  for (const listener of exchange.listeners) listener(exchange);
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

/** How long a slow client may hold a connection, in ms; tests use shorter times. */
export const serverTimes = {
  /** From the first byte of a request, or the start of the connection, to the end of the headers. */
  headersTimeout: 10_000,
  /** To the end of the body. */
  requestTimeout: 30_000,
  /** From a response to the next request. */
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
  /** For the TLS handshake. */
  handshakeTimeout: 10_000,
  /** While the client reads nothing of a response. */
  timeout: 30_000,
};

/** Creates a server for HTTP/1.1, over TLS if there is an identity; it does not listen yet. */
async function makeServer(
  tls: TlsIdentity | undefined,
  { timeout, ...times }: typeof serverTimes,
): Promise<Server> {
  // The Host is checked in the exchange, so that the response has an Error body.
  const options = { ...times, requireHostHeader: false };
  const server =
    tls === undefined
      ? createServer(options)
      : (await import("node:https")).createServer({ ...options, ...tls, ...tlsOptions });
  server.timeout = timeout;
  return server;
}
