import { ApiError, ClientDisconnected } from "../api/errors.ts";
import { maxRequestBytes } from "../api/pet-json.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Returns the whole body of a request, or the error that its response tells: an ApiError (413) for one over 64 KiB as
 * soon as that is known, by its Content-Length before anything is read, else at the first excess byte; an ApiError
 * (400, 408) or ClientDisconnected for one that does not arrive completely.
 */
export function readBody({
  incoming,
  connection,
}: Exchange): Promise<Uint8Array | Error> | Uint8Array | Error {
  const { "content-length": length, "transfer-encoding": coding } = incoming.headers;
  if (length === undefined && coding === undefined) return noBody;
  if (Number(length ?? 0) > maxRequestBytes) return tooLarge();
  if (connection.bodyError !== undefined && !incoming.complete) return connection.bodyError;
  // Most bodies arrive with their head.
  if (Number(length) === incoming.readableLength) return incoming.read() ?? noBody;
  return new Promise<Uint8Array | Error>((resolve) => {
    const chunks: Uint8Array[] = [];
    let total = 0;
    const take = (chunk: Uint8Array): void => {
      total += chunk.length;
      if (total <= maxRequestBytes) chunks.push(chunk);
      else resolve(tooLarge());
    };
    connection.failBody = resolve;
    incoming
      .on("data", take)
      .once("end", () => resolve(Buffer.concat(chunks)))
      .once("close", () => {
        // An error is costly to make.
        if (!incoming.complete) resolve(new ClientDisconnected("the client left"));
      });
  }).finally(() => void (connection.failBody = undefined));
}

function tooLarge(): ApiError {
  return new ApiError(
    413,
    "payload_too_large",
    `the body must be ${maxRequestBytes} bytes at most`,
  );
}

const noBody = Buffer.of();

/** Returns the body of a request. Throws the error with which it could not be read. */
export function bodyOf({ body = noBody }: Exchange): Uint8Array {
  if (body instanceof Error) throw body;
  return body;
}
