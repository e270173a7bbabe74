import type { KeyMask } from "./key-mask.ts";

/** How much of a body an entry shows, in bytes (store.md, Seeing what happens). */
const maxPreviewBytes = 4_096;

/** How much of a longer body is kept: a key that begins in what is shown ends in what is kept. */
const maxKeptBytes = 2 * maxPreviewBytes;
/** A body up to this long, in bytes, is kept as it is: that costs no copy, and 32 MB in all at most. */
const maxWholeBytes = 32_768;

/** Returns what is to be kept of `body` until it is shown. */
export function captureBody(body: string | Uint8Array): string | Uint8Array {
  if (body.length <= maxWholeBytes) return body;
  return Buffer.from(body.slice(0, maxKeptBytes));
}

/** Returns the first 4 KiB of `captured` as text, without the keys that `mask` hides, and whether more came. */
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

/** The text of `bytes`, without the character that is cut in two where they are a start. */
function decode(bytes: Uint8Array, isStart: boolean): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isStart });
}
