import type { Socket } from "node:net";
import type { ApiResponse } from "../api/response.ts";
import { discardUnread } from "./body.ts";
import type { Exchange, ServerClocks, WireFault } from "./exchange.ts";

/** Sends a response in some way; returns what of its body is sent, or undefined where nothing is. */
type Transmission = (exchange: Exchange, response: ApiResponse) => ApiResponse["body"] | undefined;

/**
 * Sends the response to a request, with the trouble that was planned for it. This alone writes to the
 * socket.
 */
export function send(exchange: Exchange, response: ApiResponse, clocks: ServerClocks): void {
  const { incoming, outgoing, fault } = exchange;
  exchange.response = response;
  if (outgoing.destroyed) return;
  if (!incoming.complete) discardUnread(exchange);
  const { delayMs = 0 } = fault ?? {};
  if (delayMs === 0) return transmit(exchange, response, clocks);
  const timer = setTimeout(() => transmit(exchange, response, clocks), delayMs);
  outgoing.once("close", () => clearTimeout(timer));
}

function transmit(exchange: Exchange, response: ApiResponse, clocks: ServerClocks): void {
  const { fault, method } = exchange;
  // A response to HEAD has no body that could be cut off.
  const wire = fault?.wire === "truncate" && method === "HEAD" ? "reset" : fault?.wire;
  // Read first: on a busy machine the client may have the response before this process goes on.
  const sentAt = clocks.elapsed();
  const sentAtStore = clocks.now();
  const body =
    wire === undefined ? sendWhole(exchange, response) : wireFaults[wire](exchange, response);
  if (body === undefined) return;
  const { status, headers } = response;
  exchange.sent = { status, headers, body };
  exchange.sentAt = sentAt;
  exchange.sentAtStore = sentAtStore;
  const { announcement } = exchange;
  if (announcement !== undefined) announcement.sentAt = Math.min(announcement.sentAt, sentAt);
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
  hang: ({ connection: { socket, isClosing } }) => {
    // If the client left in the middle of a body, node:http never closes the connection.
    if (isClosing || socket.readableEnded) socket.destroy();
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

function sendWhole({ outgoing, method }: Exchange, response: ApiResponse): ApiResponse["body"] {
  const { status, headers, body, stream } = response;
  outgoing.writeHead(status, headers);
  if (stream === undefined || method === "HEAD") outgoing.end(body);
  else outgoing.once("close", stream(outgoing));
  return method === "HEAD" ? "" : body;
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
