import { createHash } from "node:crypto";

/** What tells builds apart: a hash of all their files. */
export function hashOf(contents: Iterable<string | Uint8Array>): string {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex").slice(0, 16);
}
