import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isSystemError } from "../../core/errors.ts";
import type { Connection, Exchange, ServerClocks } from "./exchange.ts";

/** The unfinished TLS handshakes, by the peer's address and port. */
export type Handshakes = ReadonlyMap<string, Duplex>;

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
 * longest, or if none is idle the new one. An unfinished handshake and a request with incomplete
 * headers count as idle.
 */
export function limitConnections(
  server: Server,
  { connections, busySockets }: ConnectionTracker,
  handshakes: Handshakes,
  maxConnections: number,
): void {
  server.on("connection", (newcomer: Duplex) => {
    if (connections.size + handshakes.size <= maxConnections) return;
    const busy = busySockets();
    const isIdle = (connection: Duplex): boolean =>
      connection !== newcomer && !connection.destroyed && !busy.has(connection);
    const idle = findFirst(connections.keys(), isIdle) ?? findFirst(handshakes.values(), isIdle);
    (idle ?? newcomer).destroy();
  });
}

function findFirst<Item>(items: Iterable<Item>, fits: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (fits(item)) return item;
  return undefined;
}

/** Closes connections without any traffic, unless their request is still being answered. */
export function closeStalled(server: Server, { connections, open }: ConnectionTracker): void {
  server.on("timeout", (socket: Duplex) => {
    const latest = connections.get(socket)?.latest;
    const isAnswering = latest !== undefined && open.has(latest) && socket.writableLength === 0;
    if (!isAnswering) socket.destroy();
  });
}

/** The connections of a server, and their exchanges that are not over. */
export interface ConnectionTracker {
  /** By socket, ordered by their last response: the most recent is last. */
  readonly connections: ReadonlyMap<Duplex, Connection>;
  /** In the order in which they arrived. */
  readonly open: ReadonlySet<Exchange>;
  /** Returns the sockets of the open exchanges. */
  readonly busySockets: () => ReadonlySet<Duplex>;
  readonly connectionOf: (incoming: IncomingMessage) => Connection;
  /**
   * Calls `handle` once the requests before it on its connection are answered: a pipelined request may
   * depend on an earlier one (RFC 9112, 9.3.2). After a response that closes its connection, drops the
   * requests that follow (9.6): their responses could not be sent. Calls `onClose` when the connection is done
   * with a request that was handled.
   */
  dispatch(exchange: Exchange, handle: () => void, onClose: () => void): void;
}

/**
 * Tracks the connections and requests of `server` from now on; those over TLS once their handshake is
 * done.
 */
export function trackConnections(
  server: Server,
  isTls: boolean,
  { elapsed }: ServerClocks,
): ConnectionTracker {
  const connections = new Map<Duplex, Connection>();
  const open = new Set<Exchange>();
  let count = 0;
  const track = (socket: Socket): Connection => {
    const connection = makeConnection((count += 1), socket);
    connections.set(socket, connection);
    watchClient(connection, elapsed);
    socket.once("close", () => {
      connections.delete(socket);
      // A response that is queued after another one gets no close event of its own.
      for (const exchange of open) if (exchange.connection === connection) open.delete(exchange);
    });
    return connection;
  };
  server.on(isTls ? "secureConnection" : "connection", track);
  return {
    connections,
    open,
    busySockets: () => new Set([...open].map(({ connection }) => connection.socket)),
    connectionOf: ({ socket }) => connections.get(socket) ?? track(socket),
    dispatch: (exchange, handle, onClose) => {
      const { connection, outgoing } = exchange;
      const earlier = connection.latest;
      connection.latest = exchange;
      connection.onReset = undefined;
      open.add(exchange);
      outgoing.once("close", () => {
        open.delete(exchange);
        exchange.isComplete = outgoing.writableFinished;
        if (connections.delete(connection.socket)) connections.set(connection.socket, connection);
        onClose();
      });
      const proceed = (): void => {
        const isOver = connection.socket.destroyed || earlier?.outgoing.shouldKeepAlive === false;
        if (!isOver) handle();
      };
      if (earlier === undefined || !open.has(earlier)) proceed();
      else earlier.outgoing.once("close", proceed);
    },
  };
}

function makeConnection(number: number, socket: Socket): Connection {
  return {
    number,
    socket,
    isClosing: false,
    latest: undefined,
    bodyError: undefined,
    abortBody: undefined,
    onReset: undefined,
  };
}

/** Notes when the client leaves. */
function watchClient(connection: Connection, elapsed: () => number): void {
  const { socket } = connection;
  const onLeave = (): void => {
    const { latest } = connection;
    if (latest?.endedAt === undefined && latest !== undefined) latest.leftAt ??= elapsed();
  };
  socket.once("end", onLeave).once("close", onLeave);
  // After CONNECT node:http no longer listens for errors, and a reset would crash the process.
  socket.on("error", (error) => {
    onLeave();
    if (isSystemError(error, "ECONNRESET")) connection.onReset?.();
    socket.destroy();
  });
}

/**
 * Returns whether the request that is arriving on a connection was answered before its body was
 * complete.
 */
export function isAnsweredBeforeBody({ open }: ConnectionTracker, { latest }: Connection): boolean {
  return latest !== undefined && !open.has(latest) && !latest.incoming.complete;
}
