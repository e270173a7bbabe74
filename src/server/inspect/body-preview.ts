import type { KeyMask } from "./key-mask.ts";

/** How much of a body an entry shows, in bytes (store.md, Seeing what happens). */
const maxPreviewBytes = 4_096;

/** How much of a longer body is kept, so that a key that begins in the shown part ends in the kept part. */
const maxKeptBytes = 2 * maxPreviewBytes;
/** A body up to this size, in bytes, is kept unchanged: that needs no copy, and takes 32 MB in total at most. */
const maxWholeBytes = 32_768;

/** Returns the part of `body` that is kept until it is shown. */
export function captureBody(body: string | Uint8Array): string | Uint8Array {
  if (body.length <= maxWholeBytes) return body;
  return Buffer.from(body.slice(0, maxKeptBytes));
}

/** Returns the first 4 KiB of `captured` as text, with keys masked by `mask`, and whether there was more. */
export function previewBody(
  captured: string | Uint8Array | undefined,
  { mask, cutBefore }: KeyMask,
): { readonly text: string; readonly truncated: boolean } {
  const body = typeof captured === "string" ? Buffer.from(captured) : captured;
  if (body === undefined) return { text: "", truncated: false };
  if (body.length <= maxPreviewBytes) return { text: mask(decode(body, false)), truncated: false };
  const shown = decode(body.subarray(0, maxPreviewBytes), true);
  const end = cutBefore(decode(body.subarray(0, maxKeptBytes), true), shown.length);
  return { text: mask(shown.slice(0, end)), truncated: true };
}

/** Returns the text of `bytes`; if they are only a start, without a character that is cut in two. */
function decode(bytes: Uint8Array, isStart: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isStart });
}
