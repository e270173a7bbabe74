import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { ApiResponse } from "../api/response.ts";
import type { Exchange, ServerClocks, WireFault } from "./exchange.ts";

/** Sends a response in some way; returns what of its body is sent, or undefined where nothing is. */
type Transmission = (exchange: Exchange, response: ApiResponse) => ApiResponse["body"] | undefined;

/** How long the rest of a body is read and dropped after the response, in ms. */
const discardMs = 1_000;

/**
 * Sends the response to a request, with the fault that was decided for it. This alone writes to the
 * socket.
 */
export function send(exchange: Exchange, response: ApiResponse, clocks: ServerClocks): void {
  const { outgoing, fault } = exchange;
  if (outgoing.destroyed) return;
  const { delayMs = 0 } = fault ?? {};
  if (delayMs === 0) return transmit(exchange, response, clocks);
  const timer = setTimeout(() => transmit(exchange, response, clocks), delayMs);
  outgoing.once("close", () => clearTimeout(timer));
}

function transmit(exchange: Exchange, response: ApiResponse, clocks: ServerClocks): void {
  const { incoming, outgoing, fault, method } = exchange;
  if (!incoming.complete) outgoing.once("finish", () => discardRest(incoming));
  // A response to HEAD has no body that could be cut off.
  const wire = fault?.wire === "truncate" && method === "HEAD" ? "reset" : fault?.wire;
  // Read first: on a busy machine the client may have the response before this process goes on.
  const at = clocks.elapsed();
  const atStore = clocks.now();
  const body =
    wire === undefined ? sendWhole(exchange, response) : wireFaults[wire](exchange, response);
  if (body === undefined) return;
  const { status, headers } = response;
  exchange.sent = { status, headers, body, at, atStore };
}

/**
 * Reads and drops the rest of a body, so that a client that writes before it reads gets the response. A client that
 * still sends after a second is disconnected.
 */
function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  incoming.resume();
  const timer = setTimeout(() => incoming.socket.destroy(), discardMs).unref();
  incoming.once("close", () => clearTimeout(timer));
}

const wireFaults: Readonly<Record<WireFault, Transmission>> = {
  reset: ({ connection }) => {
    resetConnection(connection.socket);
    return undefined;
  },
  truncate: ({ outgoing, connection, fault }, { status, headers, body }) => {
    const bytes = Buffer.from(body);
    const sent = bytes.subarray(0, Math.floor((fault?.cut ?? 0) * bytes.length));
    outgoing.writeHead(status, headers);
    outgoing.flushHeaders();
    if (sent.length > 0) outgoing.write(sent);
    connection.socket.destroySoon();
    return sent;
  },
  hang: ({ connection: { socket, stopping } }) => {
    // If the client left in the middle of a body, node:http never closes the connection.
    if (socket.readableEnded) socket.destroy();
    else endWith(stopping, socket);
    return undefined;
  },
  slow: (exchange, response) => {
    dripBody(exchange, response);
    return response.body;
  },
  close: (exchange, response) => {
    const { outgoing, connection } = exchange;
    outgoing.once("finish", () => connection.socket.destroySoon());
    return sendWhole(exchange, response);
  },
  interim: (exchange, response) => {
    const { incoming, outgoing } = exchange;
    const link = '</openapi.json>; rel="service-desc"';
    if (incoming.httpVersion === "1.1") outgoing.writeEarlyHints({ link });
    return sendWhole(exchange, response);
  },
};

function sendWhole(exchange: Exchange, response: ApiResponse): ApiResponse["body"] {
  const { outgoing, method, connection } = exchange;
  const { status, headers, body, stream } = response;
  outgoing.writeHead(status, headers);
  if (stream === undefined || method === "HEAD") {
    outgoing.end(body);
    return method === "HEAD" ? "" : body;
  }
  endWith(connection.stopping, connection.socket);
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  // It ends when its reader leaves.
  pipeline(stream(closed.signal), outgoing).catch(() => {});
  return body;
}

/** Closes a connection when the server stops. */
function endWith(stopping: AbortSignal, socket: Socket): void {
  const end = (): void => void socket.destroy();
  if (stopping.aborted) return end();
  stopping.addEventListener("abort", end, { once: true });
  socket.once("close", () => stopping.removeEventListener("abort", end));
}

/** In how many drops a slow response is sent at most. */
const maxDrops = 20;

/** Sends the head at once, and the body in drops over the time of the fault. */
function dripBody(exchange: Exchange, { status, headers, body }: ApiResponse): void {
  const { outgoing, fault } = exchange;
  const bytes = Buffer.from(body);
  const drops = Math.max(1, Math.min(maxDrops, bytes.length));
  const size = Math.ceil(bytes.length / drops);
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  let sent = 0;
  const timer = setInterval(
    () => {
      const drop = bytes.subarray(sent, sent + size);
      sent += drop.length;
      outgoing.write(drop);
      if (sent < bytes.length) return;
      clearInterval(timer);
      outgoing.end();
    },
    (fault?.overMs ?? 0) / drops,
  );
  outgoing.once("close", () => clearInterval(timer));
}

function resetConnection(socket: Socket): void {
  try {
    socket.resetAndDestroy();
  } catch {
    // Only plain TCP can be reset; TLS ends without close_notify.
    socket.destroy();
  }
}
