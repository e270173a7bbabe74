import type { Server } from "node:http";
import type { ConnectionTracker, Handshakes } from "./connection-tracker.ts";
import type { Exchange } from "./exchange.ts";

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Stops accepting connections, waits at most `graceMs` for the requests in flight, and closes
 * everything. A connection without a request in flight is closed at once, and so is one that hangs or streams.
 */
export async function stopServer(
  server: Server,
  { connections, open, busySockets }: ConnectionTracker,
  handshakes: Handshakes,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // Requests that have arrived already are read first, so that they count as in flight.
  await nextTurn();
  await nextTurn();
  const busy = busySockets();
  for (const exchange of open) closeAfterResponse(exchange);
  for (const socket of connections.keys()) if (!busy.has(socket)) socket.destroy();
  for (const socket of handshakes.values()) socket.destroy();
  await closed;
  clearTimeout(deadline);
}

function closeAfterResponse(exchange: Exchange): void {
  const { outgoing, connection, response, sent, fault } = exchange;
  const { socket } = connection;
  connection.isClosing = true;
  outgoing.shouldKeepAlive = false;
  const hangs = fault?.wire === "hang" && response !== undefined;
  if (hangs || (sent !== undefined && response?.stream !== undefined)) socket.destroy();
  // The headers already sent said keep-alive, so the client may not close the connection itself.
  else if (outgoing.headersSent) outgoing.once("finish", () => socket.end(() => socket.destroy()));
}
