import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Answer } from "./server.ts";

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
  dispatch(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer): void;
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
    dispatch: (incoming, outgoing, answer) => {
      const { socket } = incoming;
      const earlier = latest.get(socket);
      latest.set(socket, outgoing);
      replies.set(outgoing, socket);
      outgoing.once("close", () => {
        replies.delete(outgoing);
        if (connections.delete(socket)) connections.add(socket);
      });
      const goOn = (): void => {
        const isOver = socket.destroyed || earlier?.shouldKeepAlive === false;
        if (!isOver) answer(incoming, outgoing);
      };
      if (earlier === undefined || !replies.has(earlier)) goOn();
      else earlier.once("close", goOn);
    },
  };
}
