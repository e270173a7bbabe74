import type { SecretMask } from "../../core/secret-mask.ts";

/** How much of a body an entry shows, in bytes. */
const maxPreviewBytes = 4_096;
/** A body up to this size, in bytes, is kept unchanged: that needs no copy, and takes 32 MB in total at most. */
const maxWholeBytes = 32_768;

/** Returns the part of `body` that is kept until it is shown. */
export function captureBody(body: string | Uint8Array): string | Uint8Array {
  if (body.length <= maxWholeBytes) return body;
  // A byte more than is shown: so it is known that there was more.
  return Buffer.from(body.slice(0, maxPreviewBytes + 1));
}

/** Returns the first 4 KiB of `captured` as text, with keys masked by `mask`, and whether there was more. */
export function previewBody(
  captured: string | Uint8Array | undefined,
  mask: SecretMask,
): { readonly text: string; readonly truncated: boolean } {
  const body = typeof captured === "string" ? Buffer.from(captured) : captured;
  if (body === undefined) return { text: "", truncated: false };
  const truncated = body.length > maxPreviewBytes;
  const text = decode(truncated ? body.subarray(0, maxPreviewBytes) : body, truncated);
  return { text: mask(text, truncated), truncated };
}

/** Returns the text of `bytes`; if they are only a start, without a character that is cut in two. */
function decode(bytes: Uint8Array, isStart: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isStart });
}
