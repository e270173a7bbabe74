import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The open connections of `server`, from now on. */
export function trackConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  server.on("connection", (connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  return connections;
}

/**
 * Takes no more connections, lets the requests in flight end, for `graceMs` at most, and closes
 * everything. A connection on which nothing is being answered holds nobody up.
 */
export async function stopServer(
  server: Server,
  connections: ReadonlySet<Socket>,
  inFlight: ReadonlySet<ServerResponse>,
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // What has arrived already is read first, so that it counts as in flight.
  await turn();
  await turn();
  for (const reply of inFlight) makeLast(reply);
  const busy = new Set([...inFlight].map((reply) => reply.socket));
  for (const connection of connections) if (!busy.has(connection)) connection.destroy();
  await closed;
  clearTimeout(deadline);
}

function makeLast(reply: ServerResponse): void {
  const { socket } = reply;
  if (!reply.headersSent) reply.setHeader("connection", "close");
  else reply.once("finish", () => socket?.end());
}
