import { isUtf8 } from "node:buffer";
import type { BodyFault } from "./outcome.ts";

/**
 * Returns the text of a complete `body` as it came over the wire: UTF-8, in gzip if its `codings` say so
 * (RFC 9110, 8.4; no other is asked for), which may be `bound` bytes long.
 */
export async function decodeBody(
  body: Uint8Array,
  codings: readonly string[],
  bound: number,
): Promise<{ readonly text: string } | { readonly fault: BodyFault }> {
  const isPlain = codings.length === 0 || body.length === 0;
  const bytes = isPlain ? body : await gunzip(body, codings, bound);
  if (!(bytes instanceof Uint8Array)) return bytes;
  if (!isUtf8(bytes)) return { fault: "unreadable" };
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() };
}

async function gunzip(
  bytes: Uint8Array,
  [coding = "", ...others]: readonly string[],
  bound: number,
): Promise<Uint8Array | { readonly fault: BodyFault }> {
  if (!/^(?:x-)?gzip$/.test(coding) || others.length > 0) return { fault: "unreadable" };
  const { gunzipSync } = await import("node:zlib");
  try {
    return gunzipSync(bytes, { maxOutputLength: bound });
  } catch (error) {
    return { fault: error instanceof RangeError ? "too_large" : "unreadable" };
  }
}
