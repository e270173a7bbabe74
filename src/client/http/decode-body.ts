import { isUtf8 } from "node:buffer";
import type { BodyFault } from "./outcome.ts";

/** The maximum number of content codings on one body; no service has a reason for more. */
const maxCodings = 4;

/**
 * Returns the text of a complete `body` as it came over the wire: UTF-8, after its `codings` are undone
 * (RFC 9110, 8.4: gzip, deflate with or without the zlib wrapper, br), each to at most `bound` bytes.
 */
export async function decodeBody(
  body: Uint8Array,
  codings: readonly string[],
  bound: number,
): Promise<{ readonly text: string } | { readonly fault: BodyFault }> {
  if (codings.length > maxCodings) return { fault: "unreadable" };
  let bytes = body;
  for (const coding of codings.toReversed()) {
    const decoded = bytes.length === 0 ? bytes : await undo(coding, bytes, bound);
    if (!(decoded instanceof Uint8Array)) return decoded;
    bytes = decoded;
  }
  if (!isUtf8(bytes)) return { fault: "unreadable" };
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() };
}

async function undo(
  coding: string,
  bytes: Uint8Array,
  bound: number,
): Promise<Uint8Array | { readonly fault: BodyFault }> {
  const zlib = await import("node:zlib");
  const options = { maxOutputLength: bound };
  try {
    switch (coding) {
      case "gzip":
      case "x-gzip":
        return zlib.gunzipSync(bytes, options);
      case "deflate":
        return isZlib(bytes)
          ? zlib.inflateSync(bytes, options)
          : zlib.inflateRawSync(bytes, options);
      case "br":
        return zlib.brotliDecompressSync(bytes, options);
      default:
        return { fault: "unreadable" };
    }
  } catch (error) {
    const tooLarge = error instanceof RangeError;
    return { fault: tooLarge ? "too_large" : "unreadable" };
  }
}

/** Returns whether deflate data has its zlib header (RFC 1950, 2.2), which some services leave out. */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}
