import { ApiError, ClientDisconnected } from "../api/errors.ts";
import { maxRequestBytes } from "../api/pet-json.ts";
import type { Exchange } from "./exchange.ts";

/** How long the rest of a body is read and dropped after the response, in ms. */
const discardMs = 1_000;

/**
 * Returns the whole body of a request. Throws an ApiError (413) for one over 64 KiB as soon as that is
 * known: by its Content-Length before anything is read, else at the first excess byte. Throws an
 * ApiError (400, 408) for one that does not arrive completely.
 */
export function readBody(exchange: Exchange): Promise<Uint8Array> {
  return (exchange.body ??= startReading(exchange));
}

async function startReading(exchange: Exchange): Promise<Uint8Array> {
  const { incoming, connection } = exchange;
  if (Number(incoming.headers["content-length"] ?? 0) > maxRequestBytes) throw tooLarge();
  if (connection.bodyError !== undefined && !incoming.complete) throw connection.bodyError;
  // Most bodies arrive with their head.
  if (incoming.complete && incoming.readableLength <= maxRequestBytes)
    return (exchange.bodyBytes = incoming.read() ?? Buffer.of());
  return collect(exchange);
}

/**
 * Reads and drops the rest of a body once its response is sent, so that a client that writes before it
 * reads gets the response. A client that still sends after a second is disconnected.
 */
export function discardUnread({ incoming, outgoing }: Exchange): void {
  outgoing.once("finish", () => {
    if (incoming.complete) return;
    incoming.resume();
    const timer = setTimeout(() => incoming.socket.destroy(), discardMs).unref();
    incoming.once("close", () => clearTimeout(timer));
  });
}

function tooLarge(): ApiError {
  return new ApiError(
    413,
    "payload_too_large",
    `the body must be ${maxRequestBytes} bytes at most`,
  );
}

function collect(exchange: Exchange): Promise<Uint8Array> {
  const { incoming, connection } = exchange;
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const settle = (): Uint8Array => {
      incoming
        .off("data", take)
        .off("end", finish)
        .off("error", onDisconnect)
        .off("close", onDisconnect);
      connection.abortBody = undefined;
      const [first = Buffer.of(), ...others] = chunks;
      exchange.bodyBytes = others.length === 0 ? first : Buffer.concat(chunks);
      return exchange.bodyBytes;
    };
    const fail = (error: Error): void => {
      settle();
      incoming.pause();
      reject(error);
    };
    const take = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length > maxRequestBytes) fail(tooLarge());
      else chunks.push(chunk);
    };
    const finish = (): void => resolve(settle());
    const onDisconnect = (): void => fail(new ClientDisconnected("the client left"));
    connection.abortBody = (error) => {
      if (!incoming.complete) fail(error);
      return !incoming.complete;
    };
    incoming.on("data", take).on("end", finish).on("error", onDisconnect).on("close", onDisconnect);
  });
}
