import { readdirSync } from "node:fs";
import { removeIf } from "../platform/private-files.ts";

/** A pack that nobody has read or written for so long, in ms, is of a build or a Node that is gone. */
const forgottenAfter = 30 * 24 * 60 * 60 * 1000;

/** Removes what lies beside `file`, which is kept, and was forgotten before `now`, in ms since the epoch. */
export function removeForgotten(file: string, now: number): void {
  const folder = file.slice(0, file.lastIndexOf("/"));
  for (const name of readdirSync(folder)) {
    const other = `${folder}/${name}`;
    if (other === file) continue;
    removeIf(other, ({ atimeMs, mtimeMs }) => now - Math.max(atimeMs, mtimeMs) > forgottenAfter);
  }
}
