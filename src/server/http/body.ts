import { ApiError, badRequest } from "../api/errors.ts";
import { maxRequestBytes } from "../api/pet-json.ts";
import type { Admitted, Arrived } from "./exchange.ts";

type Body = Exclude<Admitted["body"], undefined>;

const noBody = Buffer.of();

const tooLargeText = `the body must be ${maxRequestBytes} bytes at most`;
const tooLarge = (): ApiError => new ApiError(413, "payload_too_large", tooLargeText);

/** Returns a request's body, or the error with which it could not be read: 413 as soon as it is known to be too long. */
export function readBody({ incoming, outgoing, connection }: Arrived): Promise<Body> | Body {
  const { "content-length": length, "transfer-encoding": coding, expect = "" } = incoming.headers;
  if (length === undefined && coding === undefined) return noBody;
  if (Number(length ?? 0) > maxRequestBytes) return tooLarge();
  if (connection.bodyError !== undefined && !incoming.complete) return connection.bodyError;
  // Most bodies arrive with their head.
  if (Number(length) === incoming.readableLength) return incoming.read() ?? noBody;
  if (incoming.httpVersion !== "1.0" && /100-continue/i.test(expect)) outgoing.writeContinue();
  return new Promise<Body>((resolve) => {
    const chunks: Uint8Array[] = [];
    let total = 0;
    connection.failBody = resolve;
    incoming
      .on("data", (chunk: Uint8Array) => {
        total += chunk.length;
        if (total <= maxRequestBytes) chunks.push(chunk);
        else resolve(tooLarge());
      })
      .once("end", () => resolve(Buffer.concat(chunks)))
      .once("close", () => incoming.complete || resolve(badRequest("the client left")));
  }).finally(() => void (connection.failBody = undefined));
}

/** Returns the body of a request. Throws the error with which it could not be read. */
export function bodyOf({ body = noBody }: Admitted): Uint8Array {
  if (body instanceof ApiError) throw body;
  return body;
}

const jsonType = /^(?:application\/json|[\w.!#$&^+-]+\/[\w.!#$&^+-]+\+json)[ \t]*(?:;|$)/i;
/** JSON is UTF-8 (RFC 8259, 8.1). */
const otherCharset = /;[ \t]*charset[ \t]*=(?![ \t]*"?utf-?8"?[ \t]*(?:;|$))/i;

/** Returns the body of a request, which must be JSON. Throws an ApiError: also for a header that says that it is not (415). */
export function jsonBodyOf(admitted: Admitted): Uint8Array {
  const body = bodyOf(admitted);
  if (body.length === 0) return body;
  const { "content-type": type = "", "content-encoding": coding = "identity" } =
    admitted.request.incoming.headers;
  const problem = !/^identity$/i.test(coding)
    ? "Content-Encoding must be identity, or left out"
    : !jsonType.test(type)
      ? "Content-Type must be application/json"
      : otherCharset.test(type) && "Content-Type must name no charset other than utf-8";
  if (problem) throw new ApiError(415, "unsupported_media_type", problem);
  return body;
}
