import { once, setMaxListeners } from "node:events";
import { createServer, type Server, STATUS_CODES } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { errorMessage, ioFailure, isSystemError } from "../../core/errors.ts";
import { ApiError } from "../api/errors.ts";
import type { ApiResponse, RouteResponse } from "../api/response.ts";
import type { Moment } from "../clock.ts";
import {
  type Admitted,
  Arrived,
  type Connection,
  type EndListener,
  unanswered,
} from "./exchange.ts";
import { send } from "./send.ts";
import type { TlsIdentity } from "./tls.ts";

/** A request with what is sent for it, and what it did. */
export interface Answered {
  readonly admitted: Admitted;
  readonly response: ApiResponse;
  readonly added: RouteResponse["added"];
}

/** What a server serves. */
interface ServedHandlers {
  /** Returns the response to each request; it never throws. */
  readonly handle: (request: Arrived) => Promise<Answered>;
  /** Returns the response to what is not valid HTTP, which counts for the address that it came from. */
  readonly completeMalformed: (response: RouteResponse, remoteAddress: string) => ApiResponse;
  readonly onEnd: EndListener;
}

export interface ListenOptions {
  /** Returns the current moment. */
  readonly now: () => Moment;
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsIdentity | undefined;
  readonly times?: typeof serverTimes;
  /** How many connections may be open; others are closed at once. */
  readonly maxConnections?: number;
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

/** Browsers send the cookies of all applications on localhost: 64 KiB of headers, and the request line. */
const maxHeaderSize = 73_728;

export type Listening = Awaited<ReturnType<typeof listen>>;

/** Listens on a port; 0 picks a free one. Throws an io Failure that names the port. */
export async function listen({
  host,
  port,
  now,
  tls,
  times: { timeout, ...times } = serverTimes,
  maxConnections = 12_000,
}: ListenOptions) {
  const served = Promise.withResolvers<ServedHandlers>();
  let handlers: ServedHandlers | Promise<ServedHandlers> = served.promise;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  // The Host is checked in the exchange, so that the response has an Error body. A repeated one is joined, and so is
  // Authorization: what has a comma and a space is neither a host nor a key.
  const options = {
    ...times,
    maxHeaderSize,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  };
  const server: Server =
    tls === undefined
      ? createServer(options)
      : (await import("node:https")).createServer({ ...options, ...tls, minVersion: "TLSv1.2" });
  // By default more than 1,000 headers are too many, however short.
  Object.assign(server, { timeout, maxConnections, maxHeadersCount: 0 });
  const { connections, closeIdle } = trackConnections(
    server,
    tls !== undefined,
    now,
    stopping.signal,
  );
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const connection = connections.get(incoming.socket);
    if (connection === undefined) return void incoming.socket.destroy();
    const request = new Arrived(incoming, outgoing, connection, now);
    outgoing.sendDate = false;
    if (request.host === undefined) outgoing.shouldKeepAlive = false;
    void handleInTurn(request, handlers);
  };
  const refuse = (error: Error, socket: Duplex): void => {
    const connection = connections.get(socket);
    if (isSystemError(error, "ECONNRESET") || connection === undefined || !socket.writable)
      socket.destroy();
    else void rejectMalformed(connection, malformedError(error), served.promise);
  };
  server.on("timeout", (socket: Socket) => {
    const connection = connections.get(socket);
    const isAnswering = connection && unanswered(connection) && socket.writableLength === 0;
    if (!isAnswering) socket.destroy();
  });
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, onRequest);
  server.on("clientError", refuse);
  server.on("connect", (_request, socket) => refuse(new Error("CONNECT is not served"), socket));
  const own = await bind(server, host, port);
  return {
    port: own,
    /** The base URL of the service, by a name that its certificate is for. */
    baseUrl: baseUrlOf(host, own, tls),
    /** Whether it listens on all addresses, and so has more hosts than that. */
    isWildcard: host in wildcardHosts,
    /** Starts to handle requests; until then they wait. */
    serve: (ready: ServedHandlers): void => {
      handlers = ready;
      served.resolve(ready);
    },
    /** Stops listening, and resolves when the requests in flight have ended, after `graceMs` at most. */
    stop: async (graceMs: number): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
      // Requests that have arrived already are read first, so that they count as in flight.
      await nextTurn();
      await nextTurn();
      stopping.abort();
      closeIdle();
      await closed;
      clearTimeout(deadline);
    },
  };
}

/** Returns the connections of a server by their sockets, and what closes those on which no request is in flight. */
function trackConnections(
  server: Server,
  isSecure: boolean,
  now: () => Moment,
  stopping: AbortSignal,
) {
  const connections = new Map<Duplex, Connection>();
  /** Sockets whose TLS handshake has not ended, by peer: after it there is another socket. */
  const handshakes = new Map<string, Socket>();
  let number = 0;
  const connect = (socket: Socket): void => {
    const { remoteAddress = "" } = socket;
    handshakes.delete(peerOf(socket));
    const connection = { number: (number += 1), socket, remoteAddress, stopping };
    connections.set(socket, connection);
    socket.once("close", () => connections.delete(socket));
    watchClient(connection, now);
  };
  server.on(isSecure ? "secureConnection" : "connection", connect);
  if (isSecure)
    server.on("connection", (socket: Socket) => {
      const peer = peerOf(socket);
      handshakes.set(peer, socket);
      socket.once("close", () => handshakes.delete(peer));
    });
  const closeIdle = (): void => {
    for (const socket of handshakes.values()) socket.destroy();
    for (const connection of connections.values()) closeWhenIdle(connection);
  };
  return { connections, closeIdle };
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Handles a request after those before it on its connection (RFC 9112, 9.3.2); drops it if they closed that (9.6). */
async function handleInTurn(
  request: Arrived,
  served: ServedHandlers | Promise<ServedHandlers>,
): Promise<void> {
  const { connection, outgoing } = request;
  const { idle: earlier } = connection;
  connection.onReset = undefined;
  connection.latest = request;
  const closed = new Promise<void>((resolve) => outgoing.on("close", resolve));
  connection.idle = closed;
  if (unanswered(connection) !== undefined) await earlier;
  const isClosing = connection.current?.outgoing.shouldKeepAlive === false;
  if (connection.socket.destroyed || isClosing) return;
  connection.current = request;
  // Nothing is awaited that is no promise: that costs a tenth of a request together.
  const { handle, onEnd } = served instanceof Promise ? await served : served;
  const { admitted, response, added } = await handle(request);
  const sending = send(admitted, response);
  await closed;
  const sent = sending instanceof Promise ? await sending : sending;
  const isComplete = outgoing.writableFinished;
  const { leftAt } = connection;
  const { decision, isPage, key, keyId, body } = admitted;
  const known = { request, decision, isPage, key, keyId, body };
  onEnd({ ...known, sent, added, isComplete, leftAt, endedAt: request.now().real });
}

/** Notes when the client leaves. */
function watchClient(connection: Connection, now: () => Moment): void {
  const { socket } = connection;
  const onLeave = (): void => void (connection.leftAt ??= now().real);
  socket.once("end", onLeave).once("close", onLeave);
  // After CONNECT node:http no longer listens for errors, and a reset would crash the process.
  socket.on("error", (error) => {
    onLeave();
    if (isSystemError(error, "ECONNRESET")) connection.onReset?.();
    socket.destroy();
  });
}

/** Closes a connection after the response that is being made on it, if there is one, else at once. */
function closeWhenIdle(connection: Connection): void {
  const { socket } = connection;
  const outgoing = unanswered(connection)?.outgoing;
  if (outgoing === undefined) return void socket.destroy();
  outgoing.shouldKeepAlive = false;
  // The headers already sent said keep-alive, so the client may not close the connection itself.
  if (outgoing.headersSent) outgoing.once("finish", () => socket.destroySoon());
}

/** The loopback addresses that reach what listens on all of a family. */
const wildcardHosts: Readonly<Record<string, string>> = {
  "0.0.0.0": "127.0.0.1",
  "::": "[::1]",
};

function baseUrlOf(host: string, port: number, tls: TlsIdentity | undefined): string {
  const reached = wildcardHosts[host] ?? (host.includes(":") ? `[${host}]` : host);
  return tls === undefined
    ? `http://${reached}:${port}/v1`
    : `https://${tls.hostFor(reached)}:${port}/v1`;
}

/** Returns the port on which `server` listens from now on. */
async function bind(server: Server, host: string, port: number): Promise<number> {
  try {
    await once(server.listen({ host, port }), "listening");
  } catch (error) {
    if (!isSystemError(error, "EADDRINUSE"))
      throw ioFailure(`cannot listen on port ${port} of ${host}: ${errorMessage(error)}`, error);
    const hint = "Use another one with `--port`, or `--port 0` for a free one.";
    throw ioFailure(`port ${port} on ${host} is in use`, error, hint);
  }
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** For the client to read the response and close the connection. */
const lingerMs = 1_000;

/** Responds to what is not valid HTTP with an Error body, unless a response was begun, and closes the connection. */
async function rejectMalformed(
  connection: Connection,
  error: ApiError,
  served: Promise<ServedHandlers>,
): Promise<void> {
  const { current, latest, idle, remoteAddress, failBody, socket } = connection;
  connection.bodyError = error;
  const isPartial = current?.incoming.complete === false;
  if (failBody !== undefined && isPartial) return failBody(error);
  if (latest?.outgoing.closed === false) {
    // Requests before it get their responses.
    if (latest.incoming.complete) (await served).completeMalformed(error, remoteAddress);
    latest.outgoing.shouldKeepAlive = false;
    await idle;
    return socket.destroySoon();
  }
  const { completeMalformed } = await served;
  if (!socket.writable) return;
  socket.end(isPartial ? "" : messageOf(completeMalformed(error, remoteAddress)));
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

function malformedError(error: Error): ApiError {
  const close = { Connection: "close" };
  if (isSystemError(error, "ERR_HTTP_REQUEST_TIMEOUT"))
    return new ApiError(408, "bad_request", "the request took too long to arrive", close);
  if (isSystemError(error, "HPE_HEADER_OVERFLOW"))
    return new ApiError(431, "bad_request", "the headers are too long", close);
  return new ApiError(400, "bad_request", "the request is not valid HTTP/1.1", close);
}

function messageOf({ status, body, headers }: ApiResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body.toString()}`;
}
