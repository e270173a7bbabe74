import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, ClientDisconnected } from "../routes/errors.ts";
import { notesOf } from "./request-notes.ts";

/** The maximum size of a body that is read, in bytes (store.md, Answers). */
export const maxRequestBytes = 65_536;
/** How long the rest of a body is read and dropped after the reply, in ms. */
const discardMs = 1_000;

/** The error that arrived instead of the rest of a body, by its connection. */
const bodyErrors = new WeakMap<Duplex, ApiError>();
/** Ends the reading of a body, by its connection; returns false if the body is complete. */
const readers = new WeakMap<Duplex, (error: ApiError) => boolean>();

/**
 * Ends the reading of the body on `connection` with `error`, now or when it begins. Returns whether
 * a body was being read: what follows a complete body does not invalidate it.
 */
export function abortBodyRead(connection: Duplex, error: ApiError): boolean {
  bodyErrors.set(connection, error);
  return readers.get(connection)?.(error) ?? false;
}

/** Bodies that are read before the handler of their request asks for them. */
const readAhead = new WeakMap<IncomingMessage, Promise<Uint8Array>>();

/** Reads the body of a request ahead of its handler; `readRequestBody` then returns the same promise. */
export function readBodyAhead(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Uint8Array> {
  const body = (async () => readBody(incoming, outgoing))();
  readAhead.set(incoming, body);
  return body;
}

/**
 * Returns the whole body of a request. Throws an ApiError (413) for one over 64 KiB as soon as that is
 * known: by its Content-Length before anything is read, else at the first excess byte. Throws an
 * ApiError (400, 408) for one that does not arrive completely.
 */
export function readRequestBody(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<Uint8Array> {
  return readAhead.get(incoming) ?? readBody(incoming, outgoing);
}

function readBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Uint8Array> {
  const { headers, socket } = incoming;
  if (Number(headers["content-length"] ?? 0) > maxRequestBytes) throw tooLarge();
  const failure = bodyErrors.get(socket);
  if (failure !== undefined && !incoming.complete) throw failure;
  if (incoming.httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue") {
    outgoing.shouldKeepAlive = headers.connection?.toLowerCase() !== "close";
    outgoing.writeContinue();
  }
  return collect(incoming);
}

/**
 * Reads and drops the rest of a body once its reply is sent, so that a client that writes before it
 * reads gets the reply. A client that still sends after a second is disconnected.
 */
export function discardUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
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

function collect(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const settle = (end: () => void): void => {
      incoming
        .off("data", take)
        .off("end", finish)
        .off("error", onDisconnect)
        .off("close", onDisconnect);
      readers.delete(incoming.socket);
      notesOf(incoming).body = Buffer.concat(chunks);
      end();
    };
    const fail = (error: Error): void => {
      settle(() => {
        incoming.pause();
        reject(error);
      });
    };
    const take = (chunk: Uint8Array): void => {
      length += chunk.length;
      if (length > maxRequestBytes) fail(tooLarge());
      else chunks.push(chunk);
    };
    const finish = (): void => settle(() => resolve(notesOf(incoming).body ?? Buffer.of()));
    const onDisconnect = (): void => fail(new ClientDisconnected("the client left"));
    readers.set(incoming.socket, (error) => {
      if (!incoming.complete) fail(error);
      return !incoming.complete;
    });
    incoming.on("data", take).on("end", finish).on("error", onDisconnect).on("close", onDisconnect);
  });
}
