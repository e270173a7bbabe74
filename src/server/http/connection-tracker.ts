import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RequestHandler } from "./request-intake.ts";

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
  { connections, replies }: ConnectionTracker,
  handshakes: Handshakes,
  maxConnections: number,
): void {
  server.on("connection", (newcomer: Duplex) => {
    if (connections.size + handshakes.size <= maxConnections) return;
    const busy = new Set(replies.values());
    const isIdle = (connection: Duplex): boolean =>
      connection !== newcomer && !connection.destroyed && !busy.has(connection);
    const idle = findFirst(connections, isIdle) ?? findFirst(handshakes.values(), isIdle);
    (idle ?? newcomer).destroy();
  });
}

function findFirst<Item>(items: Iterable<Item>, fits: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (fits(item)) return item;
  return undefined;
}

/** Closes connections without any traffic, unless their request is still being answered. */
export function closeStalled(server: Server, { replies }: ConnectionTracker): void {
  server.on("timeout", (connection: Duplex) => {
    const isAnswering =
      connection.writableLength === 0 && findFirst(replies.values(), (its) => its === connection);
    if (!isAnswering) connection.destroy();
  });
}

/** The open connections of a server, and their unfinished replies. */
export interface ConnectionTracker {
  /** Ordered by their last reply: the most recent is last. */
  readonly connections: ReadonlySet<Duplex>;
  /** Each unfinished reply, and its connection. */
  readonly replies: ReadonlyMap<ServerResponse, Duplex>;
  /**
   * Returns whether the request that is arriving on a connection was answered before its body was
   * complete.
   */
  answeredBeforeBody(connection: Duplex): boolean;
  /**
   * Handles a request once those before it on its connection are answered: a pipelined request may
   * depend on an earlier one (RFC 9112, 9.3.2). After a reply that closes its connection, drops the
   * requests that follow (9.6): their replies could not be sent.
   */
  dispatch(incoming: IncomingMessage, outgoing: ServerResponse, handler: RequestHandler): void;
}

/**
 * Tracks the connections and requests of `server` from now on; those over TLS once their handshake is
 * done.
 */
export function trackConnections(server: Server, isTls: boolean): ConnectionTracker {
  const connections = new Set<Duplex>();
  const replies = new Map<ServerResponse, Duplex>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on(isTls ? "secureConnection" : "connection", (connection: Duplex) => {
    connections.add(connection);
    // After CONNECT node:http no longer listens for errors, and a reset would crash the process.
    connection.on("error", () => connection.destroy());
    connection.once("close", () => {
      connections.delete(connection);
      // A reply that is queued after another one gets no close event of its own.
      for (const [reply, its] of replies) if (its === connection) replies.delete(reply);
    });
  });
  return {
    connections,
    replies,
    answeredBeforeBody: (connection) => {
      const reply = latest.get(connection);
      return reply !== undefined && !replies.has(reply) && !reply.req.complete;
    },
    dispatch: (incoming, outgoing, handler) => {
      const { socket } = incoming;
      const earlier = latest.get(socket);
      latest.set(socket, outgoing);
      replies.set(outgoing, socket);
      outgoing.once("close", () => {
        replies.delete(outgoing);
        if (connections.delete(socket)) connections.add(socket);
      });
      const proceed = (): void => {
        const isOver = socket.destroyed || earlier?.shouldKeepAlive === false;
        if (!isOver) handler(incoming, outgoing);
      };
      if (earlier === undefined || !replies.has(earlier)) proceed();
      else earlier.once("close", proceed);
    },
  };
}
