import type { Output } from "../platform/io.ts";
import { escapeControls } from "./text/sanitize.ts";

/** What is told beside the result: a line each on standard error, escaped; nothing when quiet. */
export interface Notes {
  readonly note: (text: string) => Promise<void>;
  /** The same, for what the user had better look at; each text only once. */
  readonly warning: (text: string) => Promise<void>;
  /** A note that is told for each key only once. */
  readonly once: (key: string, text: string) => Promise<void>;
}

/** Notes on `stderr`, or none when `quiet` (contract.md, What goes where). */
export function makeNotes(stderr: Output, quiet: boolean): Notes {
  const told = new Set<string>();
  const note = async (text: string): Promise<void> => {
    if (!quiet) await stderr.write(`${escapeControls(text)}\n`);
  };
  const once = async (key: string, text: string): Promise<void> => {
    if (told.has(key)) return;
    told.add(key);
    await note(text);
  };
  return { note, warning: (text) => once(text, `warning: ${text}`), once };
}
