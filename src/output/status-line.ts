import { escapeControls } from "../core/sanitize.ts";
import type { Environment, Output } from "../platform/io.ts";
import { cutText } from "./text/width.ts";

/** A line at the bottom of a terminal that is overwritten in place. */
export interface StatusLine {
  /** Replaces what the line shows by `text`, cut to the terminal's width. */
  show(text: string): Promise<void>;
  /** Clears the line. */
  clear(): void;
}

const defaultColumns = 80;
const eraseLine = "\r\x1b[K";
// A terminal may wrap when its last column is written to, and a wrapped line can't be erased. The
// `^C` that it echoes for Ctrl-C needs room too.
const reservedColumns = "^C".length + 1;

/** Returns how many columns a status line on `output` may take. */
export function statusLineWidth({ columns = defaultColumns }: Output): number {
  return Math.max(1, columns - reservedColumns);
}

/** The status line of a terminal: what it is written to, and what it shows now. */
interface SharedLine {
  readonly output: Output;
  text: string;
}

/** An output with its status line. A property, as each file of `dist` may have its own copy of this module. */
interface SharedOutput extends Output {
  readonly bottom?: SharedLine;
}

/**
 * Returns standard output and standard error of one terminal: a status line on the latter is erased
 * before anything else is written to either, and redrawn below it. Without a terminal both are
 * returned unchanged.
 */
export function coordinateTerminal({ stdout, stderr }: Streams): Streams {
  if (!stderr.isTTY) return { stdout, stderr };
  const bottom: SharedLine = { output: stderr, text: "" };
  const shared = Object.assign(
    wrap(stderr, (text) => writeAbove(bottom, text)),
    { bottom },
  );
  if (!stdout.isTTY) return { stdout, stderr: shared };
  return { stdout: wrap(stdout, (text) => writeOther(bottom, stdout, text)), stderr: shared };
}

interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}

/**
 * Opens a status line on `output`: a terminal, unless it is dumb or its user asked for lines that stay (ACCESSIBLE);
 * else undefined. No write is awaited: a stopped terminal (Ctrl-S) must not stop anything else.
 */
export function openStatusLine(
  output: SharedOutput,
  { TERM, ACCESSIBLE = "" }: Environment,
): StatusLine | undefined {
  if (!output.isTTY || TERM === "dumb" || (ACCESSIBLE !== "" && ACCESSIBLE !== "0"))
    return undefined;
  const bottom = output.bottom ?? { output, text: "" };
  return {
    async show(text) {
      const safe = escapeControls(text);
      bottom.text = cutText(safe, statusLineWidth(output));
      void bottom.output.write(`${eraseLine}${bottom.text}`);
    },
    clear() {
      if (bottom.text !== "") void bottom.output.write(eraseLine);
      bottom.text = "";
    },
  };
}

function wrap(output: Output, write: Output["write"]): Output {
  return {
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
    write,
  };
}

function writeAbove(bottom: SharedLine, text: string): Promise<void> {
  if (bottom.text === "") return bottom.output.write(text);
  // An unfinished line would be overwritten.
  if (!text.endsWith("\n")) bottom.text = "";
  return bottom.output.write(`${eraseLine}${text}${bottom.text}`);
}

function writeOther(bottom: SharedLine, stdout: Output, text: string): Promise<void> {
  if (bottom.text === "") return stdout.write(text);
  void bottom.output.write(eraseLine);
  const written = stdout.write(text);
  if (!text.endsWith("\n")) bottom.text = "";
  else void bottom.output.write(bottom.text);
  return written;
}
