import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiResponse } from "../api/response.ts";
import type { Admitted, Arrived, Sent, WireFault } from "./exchange.ts";

/** Sends a response in some way; returns what of its body is sent, or undefined where nothing is. */
type Transmission = (admitted: Admitted, response: ApiResponse) => ApiResponse["body"] | undefined;

/** Sends the response to a request, with the fault that was decided for it; returns what was sent. This alone writes to the socket. */
export function send(
  admitted: Admitted,
  response: ApiResponse,
): Sent | undefined | Promise<Sent | undefined> {
  const { outgoing } = admitted.request;
  if (outgoing.destroyed) return undefined;
  const { delayMs = 0 } = admitted.decision.fault ?? {};
  if (delayMs === 0) return transmit(admitted, response);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(transmit(admitted, response)), delayMs);
    outgoing.once("close", () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

function transmit(admitted: Admitted, response: ApiResponse): Sent | undefined {
  const { request, decision } = admitted;
  const { outgoing, method } = request;
  const { fault } = decision;
  if (!isBodyRead(admitted)) outgoing.shouldKeepAlive = false;
  // A response to HEAD has no body that could be cut off.
  const wire = fault?.wire === "truncate" && method === "HEAD" ? "reset" : fault?.wire;
  // Taken first: on a busy machine the client may have the response before this process goes on.
  const at = request.now();
  const body = (wire === undefined ? sendWhole : wireFaults[wire])(admitted, response);
  if (body === undefined) return undefined;
  const { status, headers } = response;
  return { status, headers, body, at };
}

/** Returns whether all of the request has arrived; the parser may not have said so yet. */
function isBodyRead({ request, body }: Admitted): boolean {
  return request.incoming.complete || body instanceof Uint8Array;
}

const lingerMs = 1_000;

/** Ends a response when its request was read, or after 1 s: who writes before reading would lose it (RFC 9112, 9.6). */
function endAfterRequest({ incoming, outgoing }: Arrived, body: ApiResponse["body"]): void {
  outgoing.flushHeaders();
  outgoing.write(body);
  const end = (): void => void outgoing.end();
  const timer = setTimeout(end, lingerMs);
  outgoing.once("close", () => clearTimeout(timer));
  incoming.once("end", end).once("error", end).resume();
}

const wireFaults: Readonly<Record<WireFault, Transmission>> = {
  reset: ({ request }) => {
    const { socket } = request.connection;
    try {
      socket.resetAndDestroy();
    } catch {
      // Only plain TCP can be reset; TLS ends without close_notify.
      socket.destroy();
    }
    return undefined;
  },
  truncate: ({ request, decision }, { status, headers, body }) => {
    const { outgoing, connection } = request;
    const bytes = Buffer.from(body);
    const sent = bytes.subarray(0, Math.floor((decision.fault?.cut ?? 0) * bytes.length));
    outgoing.writeHead(status, headers).flushHeaders();
    if (sent.length > 0) outgoing.write(sent);
    connection.socket.destroySoon();
    return sent;
  },
  hang: ({ request }) => {
    const { socket, stopping } = request.connection;
    // If the client left in the middle of a body, node:http never closes the connection.
    if (socket.readableEnded) socket.destroy();
    else endWith(stopping, socket);
    return undefined;
  },
  slow: ({ request, decision }, { status, headers, body }) => {
    const { overMs = 0 } = decision.fault ?? {};
    request.outgoing.writeHead(status, headers).flushHeaders();
    pipeTo(request.outgoing, (signal) => dropsOf(body, overMs, signal));
    return body;
  },
  close: (admitted, response) => {
    const { outgoing, connection } = admitted.request;
    outgoing.once("finish", () => connection.socket.destroySoon());
    return sendWhole(admitted, response);
  },
  interim: (admitted, response) => {
    const { incoming, outgoing } = admitted.request;
    const link = '</openapi.json>; rel="service-desc"';
    if (incoming.httpVersion === "1.1") outgoing.writeEarlyHints({ link });
    return sendWhole(admitted, response);
  },
};

function sendWhole(admitted: Admitted, response: ApiResponse): ApiResponse["body"] {
  const { outgoing, method, connection } = admitted.request;
  const { status, headers, body, stream } = response;
  outgoing.writeHead(status, headers);
  if (stream === undefined || method === "HEAD") {
    if (isBodyRead(admitted)) outgoing.end(body);
    else endAfterRequest(admitted.request, body);
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
