import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { RequestHandler } from "./request-intake.ts";

/** The TLS handshakes under way, by the peer's address and port. */
export type Handshakes = ReadonlyMap<string, Duplex>;

/** Follows the TLS handshakes of `server`, from now on; a server without TLS has none. */
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
  // It is another object by then, of the same peer.
  server.on("secureConnection", (socket: Socket) => open.delete(peerOf(socket)));
  return open;
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Keeps the connections of `server` at `most`: the one that has been idle for longest makes room
 * for a new one, and where none is idle the new one is closed. A handshake is idle, and so is a
 * request whose headers are not there yet.
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

/** Closes connections that nothing moves on, unless their request is still being answered. */
export function closeStalled(server: Server, { replies }: ConnectionTracker): void {
  server.on("timeout", (connection: Duplex) => {
    const isAnswering =
      connection.writableLength === 0 && findFirst(replies.values(), (its) => its === connection);
    if (!isAnswering) connection.destroy();
  });
}

/** The open connections of a server, and the requests on them that are not answered to the end. */
export interface ConnectionTracker {
  /** Those that were answered last come last. */
  readonly connections: ReadonlySet<Duplex>;
  /** Each unfinished reply, and its connection. */
  readonly replies: ReadonlyMap<ServerResponse, Duplex>;
  /** Whether the request that comes in over a connection is answered, though not all of it is there. */
  answeredBeforeBody(connection: Duplex): boolean;
  /**
   * Answers a request once those before it on its connection are answered: what comes pipelined may
   * depend on what was added just before (RFC 9112, 9.3.2). Behind a reply that ends its connection
   * nothing is done any more (9.6): nobody would hear of it.
   */
  dispatch(incoming: IncomingMessage, outgoing: ServerResponse, handler: RequestHandler): void;
}

/** Follows the connections and requests of `server`, from now on; those over TLS from their handshake's end. */
export function trackConnections(server: Server, isTls: boolean): ConnectionTracker {
  const connections = new Set<Duplex>();
  const replies = new Map<ServerResponse, Duplex>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on(isTls ? "secureConnection" : "connection", (connection: Duplex) => {
    connections.add(connection);
    // After CONNECT node:http listens no more, and a reset would end the process.
    connection.on("error", () => connection.destroy());
    connection.once("close", () => {
      connections.delete(connection);
      // A reply that waits behind another one never hears of the end itself.
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
