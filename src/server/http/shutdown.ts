import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ConnectionTracker, Handshakes } from "./connection-tracker.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Stops accepting connections, waits at most `graceMs` for the requests in flight, and closes
 * everything. A connection without a request in flight is closed at once.
 */
export async function stopServer(
  server: Server,
  { connections, replies }: ConnectionTracker,
  handshakes: Handshakes,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // Requests that have arrived already are read first, so that they count as in flight.
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
  // The headers already sent said keep-alive, so the client may not close the connection itself.
  if (reply.headersSent) reply.once("finish", () => connection.end(() => connection.destroy()));
}
