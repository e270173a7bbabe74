import { escapeControls } from "../core/sanitize.ts";
import type { Output } from "../platform/io.ts";

/** Prints lines on standard error in addition to the result, escaped; none when quiet. */
export interface Notes {
  readonly note: (text: string) => Promise<void>;
  /** Prints a warning; each text only once. */
  readonly warning: (text: string) => Promise<void>;
  /** Prints one note for each key. */
  readonly once: (key: string, text: string) => Promise<void>;
}

/** Returns notes on `stderr`, or none when `quiet`. */
export function makeNotes(stderr: Output, quiet: boolean): Notes {
  const printed = new Set<string>();
  const note = async (text: string): Promise<void> => {
    if (!quiet) await stderr.write(`${escapeControls(text)}\n`);
  };
  const once = async (key: string, text: string): Promise<void> => {
    if (printed.has(key)) return;
    printed.add(key);
    await note(text);
  };
  return { note, warning: (text) => once(text, `warning: ${text}`), once };
}
