import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ConnectionTracker, Handshakes } from "./connection-tracker.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Takes no more connections, lets the requests in flight end, for `graceMs` at most, and closes
 * everything. A connection on which nothing is being answered holds nobody up.
 */
export async function stopServer(
  server: Server,
  { connections, replies }: ConnectionTracker,
  handshakes: Handshakes,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // What has arrived already is read first, so that it counts as in flight.
  await nextTurn();
  await nextTurn();
  for (const [reply, connection] of replies) closeAfterReply(reply, connection);
  const busy = new Set(replies.values());
  for (const connection of connections) if (!busy.has(connection)) connection.destroy();
  for (const connection of handshakes.values()) connection.destroy();
  await closed;
  clearTimeout(deadline);
}

function closeAfterReply(reply: ServerResponse, connection: Duplex): void {
  reply.shouldKeepAlive = false;
  // The client was told that it may ask again here, and may not look whether this is over.
  if (reply.headersSent) reply.once("finish", () => connection.end(() => connection.destroy()));
}
