import { isUtf8 } from "node:buffer";
import type { BodyFault } from "./outcome.ts";
import { type Headers, headerValues } from "../retry/rate-limit-headers.ts";

/** More codings on one body than any service has a reason for. */
const mostCodings = 4;

/**
 * The text of a body that came whole: its content codings undone (RFC 9110, 8.4: gzip, deflate with
 * or without the zlib wrapper, br), at most `bound` bytes at each step, in UTF-8. `body` is as it
 * came over the wire.
 */
export async function decodeBody(
  body: Uint8Array,
  headers: Headers,
  bound: number,
): Promise<{ readonly text: string } | { readonly fault: BodyFault }> {
  const codings = contentCodings(headers);
  if (codings.length > mostCodings) return { fault: "unreadable" };
  let bytes = body;
  for (const coding of codings.toReversed()) {
    const decoded = bytes.length === 0 ? bytes : await undo(coding, bytes, bound);
    if (!(decoded instanceof Uint8Array)) return decoded;
    bytes = decoded;
  }
  if (!isUtf8(bytes)) return { fault: "unreadable" };
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() };
}

/** The codings in the order in which they were applied. */
function contentCodings(headers: Headers): readonly string[] {
  const lines = headerValues(headers, "content-encoding");
  if (lines.length === 0) return lines;
  const items = lines.flatMap((line) => line.split(","));
  return items
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== "" && item !== "identity");
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

/** Whether deflate data has its zlib header (RFC 1950, 2.2), which some services leave out. */
function isZlib(bytes: Uint8Array): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}
