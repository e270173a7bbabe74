import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isSystemError } from "../../core/errors.ts";
import { Connection, type Exchange, type ExchangeListener, type ServerClocks } from "./exchange.ts";

/** The connections of a server, and in what order their requests are handled. */
export type ConnectionTracker = ReturnType<typeof trackConnections>;

/** Tracks the connections of `server` from now on; those over TLS once their handshake is done. */
export function trackConnections(server: Server, isTls: boolean, { elapsed }: ServerClocks) {
  const connections = new Map<Duplex, Connection>();
  let count = 0;
  const track = (socket: Socket): Connection => {
    const connection = new Connection((count += 1), socket);
    connections.set(socket, connection);
    socket.once("close", () => connections.delete(socket));
    watchClient(connection, elapsed);
    return connection;
  };
  server.on(isTls ? "secureConnection" : "connection", track);
  return {
    /** By socket, ordered by their last response: the most recent is last. */
    connections,
    connectionOf: ({ socket }: IncomingMessage) => connections.get(socket) ?? track(socket),
    /**
     * Calls `handle` once the requests before it on its connection are answered: a pipelined request may
     * depend on an earlier one (RFC 9112, 9.3.2). After a response that closes its connection, drops the
     * requests that follow (9.6): their responses could not be sent. Calls `onClose` when the connection is done
     * with a request that was handled.
     */
    dispatch: (exchange: Exchange, handle: ExchangeListener, onClose: ExchangeListener): void => {
      const { connection, outgoing } = exchange;
      const earlier = connection.latest;
      connection.latest = exchange;
      connection.onReset = undefined;
      outgoing.once("close", () => {
        exchange.isClosed = true;
        exchange.isComplete = outgoing.writableFinished;
        if (connections.delete(connection.socket)) connections.set(connection.socket, connection);
        onClose(exchange);
      });
      const proceed = (): void => {
        if (connection.socket.destroyed || earlier?.outgoing.shouldKeepAlive === false) return;
        connection.current = exchange;
        handle(exchange);
      };
      if (earlier?.isClosed === false) earlier.outgoing.once("close", proceed);
      else proceed();
    },
  };
}

/** Notes when the client leaves. */
function watchClient(connection: Connection, elapsed: () => number): void {
  const { socket } = connection;
  const onLeave = (): void => {
    const { current } = connection;
    if (current !== undefined && Number.isNaN(current.endedAt)) current.leftAt ??= elapsed();
  };
  socket.once("end", onLeave).once("close", onLeave);
  // After CONNECT node:http no longer listens for errors, and a reset would crash the process.
  socket.on("error", (error) => {
    onLeave();
    if (isSystemError(error, "ECONNRESET")) connection.onReset?.();
    socket.destroy();
  });
}

/** Closes connections without any traffic, unless their request is still being answered. */
export function closeStalled(server: Server, { connections }: ConnectionTracker): void {
  server.on("timeout", (socket: Duplex) => {
    const isAnswering = connections.get(socket)?.isBusy === true && socket.writableLength === 0;
    if (!isAnswering) socket.destroy();
  });
}

/** The unfinished TLS handshakes, by the peer's address and port. */
type Handshakes = ReadonlyMap<string, Duplex>;

/** Tracks the TLS handshakes of `server` from now on; a server without TLS has none. */
export function trackHandshakes(server: Server, isTls: boolean): Handshakes {
  const open = new Map<string, Duplex>();
  if (!isTls) return open;
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, socket);
    socket.once("close", () => {
      if (open.get(peer) === socket) open.delete(peer);
    });
  });
  // The TLS socket is another object, with the same peer.
  server.on("secureConnection", (socket: Socket) => open.delete(peerOf(socket)));
  return open;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Limits `server` to `maxConnections` connections: for a new one it closes the one that has been idle
 * longest, or if none is idle the new one. An unfinished handshake and an incomplete request count as
 * idle.
 */
export function limitConnections(
  server: Server,
  { connections }: ConnectionTracker,
  handshakes: Handshakes,
  maxConnections: number,
): void {
  server.on("connection", (newcomer: Duplex) => {
    if (connections.size + handshakes.size <= maxConnections) return;
    const isIdle = (socket: Duplex): boolean => {
      const current = connections.get(socket)?.current;
      const isBusy = current?.isClosed === false && current.incoming.complete;
      return socket !== newcomer && !socket.destroyed && !isBusy;
    };
    const idle = [...connections.keys(), ...handshakes.values()].find(isIdle);
    (idle ?? newcomer).destroy();
  });
}

/**
 * Stops accepting connections, waits at most `graceMs` for the requests in flight, and closes
 * everything. A connection without a request in flight is closed at once, and so is one that hangs or streams.
 */
export async function stopServer(
  server: Server,
  { connections }: ConnectionTracker,
  handshakes: Handshakes,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // Requests that have arrived already are read first, so that they count as in flight.
  await nextTurn();
  await nextTurn();
  for (const connection of connections.values()) {
    const { isBusy, current, socket } = connection;
    if (isBusy && current !== undefined) closeAfterResponse(current);
    else socket.destroy();
  }
  for (const socket of handshakes.values()) socket.destroy();
  await closed;
  clearTimeout(deadline);
}

function closeAfterResponse({ outgoing, connection, response, sent, fault }: Exchange): void {
  const { socket } = connection;
  connection.isClosing = true;
  outgoing.shouldKeepAlive = false;
  const hangs = fault?.wire === "hang" && response !== undefined;
  if (hangs || (sent !== undefined && response?.stream !== undefined)) socket.destroy();
  // The headers already sent said keep-alive, so the client may not close the connection itself.
  else if (outgoing.headersSent) outgoing.once("finish", () => socket.end(() => socket.destroy()));
}
