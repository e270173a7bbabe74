import { escapeControls } from "../core/sanitize.ts";
import type { Output } from "../platform/io.ts";

/** Returns what prints lines on `stderr` in addition to the result, escaped; none when `quiet`. */
export function makeNotes(stderr: Output, quiet: boolean) {
  const printed = new Set<string>();
  const note = async (text: string): Promise<void> => {
    if (!quiet) await stderr.write(`${escapeControls(text)}\n`);
  };
  /** Prints a warning; each text only once. */
  const warning = async (text: string): Promise<void> => {
    if (printed.has(text)) return;
    printed.add(text);
    await note(`warning: ${text}`);
  };
  return { note, warning };
}
