import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionTracker } from "./flights.ts";

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
  most: number,
): void {
  server.on("connection", (newcomer: Duplex) => {
    if (connections.size + handshakes.size <= most) return;
    const busy = new Set(replies.values());
    const isIdle = (connection: Duplex): boolean =>
      connection !== newcomer && !connection.destroyed && !busy.has(connection);
    const idle = find(connections, isIdle) ?? find(handshakes.values(), isIdle);
    (idle ?? newcomer).destroy();
  });
}

function find<Item>(items: Iterable<Item>, fits: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (fits(item)) return item;
  return undefined;
}

/** Closes connections that nothing moves on, unless their request is still being answered. */
export function closeStalled(server: Server, { replies }: ConnectionTracker): void {
  server.on("timeout", (connection: Duplex) => {
    const isAnswering =
      connection.writableLength === 0 && find(replies.values(), (its) => its === connection);
    if (!isAnswering) connection.destroy();
  });
}
