import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../routes/errors.ts";

/** The longest body that is read, in bytes (store.md, Answers). */
export const longestBody = 65_536;

/** The client left before its request was whole: there is nobody to answer. */
export class ClientDisconnected extends Error {}

/** What came in place of the rest of a body, by its connection. */
const broken = new WeakMap<Duplex, ApiError>();
/** How to end the reading of a body, by its connection; answers false where it is whole already. */
const readers = new WeakMap<Duplex, (problem: ApiError) => boolean>();

/**
 * Ends the reading of the body on `connection`, now or when it begins, so that `problem` is the
 * answer. Answers whether that ended one: what comes behind a whole body is no fault of it.
 */
export function abortBodyRead(connection: Duplex, problem: ApiError): boolean {
  broken.set(connection, problem);
  return readers.get(connection)?.(problem) ?? false;
}

/**
 * The whole body of a request. Throws a Problem (413) for one over 64 KiB, as soon as that is known:
 * by its Content-Length before anything is read, else at the byte that is too many; and a Problem
 * (400, 408) for one that does not come whole.
 */
export function readBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Uint8Array> {
  const { headers, socket } = incoming;
  if (Number(headers["content-length"] ?? 0) > longestBody) throw tooLarge();
  const failure = broken.get(socket);
  if (failure !== undefined && !incoming.complete) throw failure;
  if (incoming.httpVersion === "1.1" && headers.expect?.toLowerCase() === "100-continue") {
    outgoing.shouldKeepAlive = headers.connection?.toLowerCase() !== "close";
    outgoing.writeContinue();
  }
  return collect(incoming);
}

function tooLarge(): ApiError {
  return new ApiError(413, "payload_too_large", `the body must be ${longestBody} bytes at most`);
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
      if (length > longestBody) fail(tooLarge());
      else chunks.push(chunk);
    };
    const finish = (): void => settle(() => resolve(Buffer.concat(chunks)));
    const onDisconnect = (): void => fail(new ClientDisconnected("the client left"));
    readers.set(incoming.socket, (problem) => {
      if (!incoming.complete) fail(problem);
      return !incoming.complete;
    });
    incoming.on("data", take).on("end", finish).on("error", onDisconnect).on("close", onDisconnect);
  });
}
