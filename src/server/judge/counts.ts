import { hash } from "node:crypto";
import { makeSecretMask } from "../../core/secrets.ts";
import { truncate } from "../../core/strings.ts";

/** How often each text was seen; `…` counts all that came after 100 different ones. */
export type Counts = Readonly<Record<string, number>>;

const maxCounted = 100;

/** Counts a text, of which clients may send any number. */
export function addTo(counts: Map<string, number>, text: string, more = 1): void {
  const name = counts.has(text) || counts.size < maxCounted ? text : "…";
  counts.set(name, (counts.get(name) ?? 0) + more);
}

/** Returns the sum of both. */
export function sumOf(one: Counts, other: Counts): Counts {
  const both = new Map(Object.entries(one));
  for (const [text, count] of Object.entries(other)) addTo(both, text, count);
  return Object.fromEntries(both);
}

/** How many characters of a text are reported. */
const maxReported = 200;
const maskKeys = makeSecretMask([], { hasStoreKeys: true });

/** Returns a copy of the start of a text: a slice would keep the whole text in memory. */
const cut = (text: string): string => Buffer.from(truncate(text, maxReported)).toString();

/** Returns what a report may show of a text that a client sent: its start, with keys masked. */
export const reported = (text: string): string => cut(maskKeys(text));

/** Returns what stands for a text in comparisons: of a long one its start and a digest, as 200,000 may be kept. */
export function compared(text: string): string {
  return text.length <= maxReported ? text : cut(text) + hash("sha256", text, "base64");
}
