import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiResponse } from "../api/response.ts";
import type { Exchange, WireFault } from "./exchange.ts";

/** Sends a response in some way; returns what of its body is sent, or undefined where nothing is. */
type Transmission = (exchange: Exchange, response: ApiResponse) => ApiResponse["body"] | undefined;

/** Sends the response to a request, with the fault that was decided for it. This alone writes to the socket. */
export function send(exchange: Exchange, response: ApiResponse): void {
  const { outgoing, fault } = exchange;
  if (outgoing.destroyed) return;
  const { delayMs = 0 } = fault ?? {};
  if (delayMs === 0) return transmit(exchange, response);
  const timer = setTimeout(() => transmit(exchange, response), delayMs);
  outgoing.once("close", () => clearTimeout(timer));
}

function transmit(exchange: Exchange, response: ApiResponse): void {
  const { outgoing, fault, method, clocks } = exchange;
  if (!isBodyRead(exchange)) outgoing.shouldKeepAlive = false;
  // A response to HEAD has no body that could be cut off.
  const wire = fault?.wire === "truncate" && method === "HEAD" ? "reset" : fault?.wire;
  // Read first: on a busy machine the client may have the response before this process goes on.
  const at = clocks.elapsed();
  const atStore = clocks.now();
  const body = (wire === undefined ? sendWhole : wireFaults[wire])(exchange, response);
  if (body === undefined) return;
  const { status, headers } = response;
  exchange.sent = { status, headers, body, at, atStore };
}

/** Returns whether all of the request has arrived; the parser may not have said so yet. */
function isBodyRead({ incoming, body }: Exchange): boolean {
  return incoming.complete || body instanceof Uint8Array;
}

const lingerMs = 1_000;

/** Ends a response when its request was read, or after 1 s: who writes before reading would lose it (RFC 9112, 9.6). */
function endAfterRequest({ incoming, outgoing }: Exchange, body: ApiResponse["body"]): void {
  outgoing.flushHeaders();
  outgoing.write(body);
  const end = (): void => void outgoing.end();
  const timer = setTimeout(end, lingerMs);
  outgoing.once("close", () => clearTimeout(timer));
  incoming.once("end", end).once("error", end).resume();
}

const wireFaults: Readonly<Record<WireFault, Transmission>> = {
  reset: ({ connection: { socket } }) => {
    try {
      socket.resetAndDestroy();
    } catch {
      // Only plain TCP can be reset; TLS ends without close_notify.
      socket.destroy();
    }
    return undefined;
  },
  truncate: ({ outgoing, connection, fault }, { status, headers, body }) => {
    const bytes = Buffer.from(body);
    const sent = bytes.subarray(0, Math.floor((fault?.cut ?? 0) * bytes.length));
    outgoing.writeHead(status, headers).flushHeaders();
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
  slow: ({ outgoing, fault }, { status, headers, body }) => {
    outgoing.writeHead(status, headers).flushHeaders();
    pipeTo(outgoing, (signal) => dropsOf(body, fault?.overMs ?? 0, signal));
    return body;
  },
  close: (exchange, response) => {
    exchange.outgoing.once("finish", () => exchange.connection.socket.destroySoon());
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
    if (isBodyRead(exchange)) outgoing.end(body);
    else endAfterRequest(exchange, body);
    return method === "HEAD" ? "" : body;
  }
  endWith(connection.stopping, connection.socket);
  pipeTo(outgoing, stream);
  return body;
}

/** Closes a connection when the server stops. */
function endWith(stopping: AbortSignal, socket: Socket): void {
  const end = (): void => void socket.destroy();
  if (stopping.aborted) return end();
  stopping.addEventListener("abort", end, { once: true });
  socket.once("close", () => stopping.removeEventListener("abort", end));
}

/** Sends what `make` yields until `signal`, which is aborted when the client leaves. */
function pipeTo(
  outgoing: ServerResponse,
  make: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>,
): void {
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  pipeline(make(closed.signal), outgoing).catch(() => {});
}

const maxDrops = 20;

async function* dropsOf(body: ApiResponse["body"], overMs: number, signal: AbortSignal) {
  const bytes = Buffer.from(body);
  const size = Math.max(1, Math.ceil(bytes.length / maxDrops));
  const count = Math.max(1, Math.ceil(bytes.length / size));
  for (let drop = 0; drop < count; drop += 1) {
    await sleep(overMs / count, undefined, { signal });
    yield bytes.subarray(drop * size, (drop + 1) * size);
  }
}
