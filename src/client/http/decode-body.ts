import type { BodyFault } from "./outcome.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the text of a complete `body` as it came over the wire: UTF-8, in gzip if its `codings` say so
 * (RFC 9110, 8.4; no other is asked for), which may be `maxBytes` long.
 */
export async function decodeBody(
  body: Uint8Array,
  codings: readonly string[],
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly fault: BodyFault }> {
  try {
    if (codings.length === 0 || body.length === 0) return { text: utf8.decode(body) };
    if (!/^(?:x-)?gzip$/.test(codings.join())) return { fault: "unreadable" };
    const { gunzipSync } = await import("node:zlib");
    return { text: utf8.decode(gunzipSync(body, { maxOutputLength: maxBytes })) };
  } catch (error) {
    return { fault: error instanceof RangeError ? "too_large" : "unreadable" };
  }
}
