import type { Environment, Output } from "../platform/io.ts";
import { escapeControls } from "./text/sanitize.ts";
import { measurerFor } from "./text/width.ts";

/** A line at the bottom of a terminal that is written over again and again. */
export interface StatusLine {
  /** Shows `text` in place of what the line showed before, cut to the terminal's width. */
  show(text: string): Promise<void>;
  /** Leaves the line empty, for whatever comes next. */
  clear(): void;
}

const usualColumns = 80;
const eraseLine = "\r\x1b[K";
// A terminal may break the line as soon as its last column is written to, and then what stands there
// can't be wiped; so there must be room for the `^C` that it shows for Ctrl-C too.
const kept = "^C".length + 1;

/** How many columns a live line on `output` may take. */
export function statusLineWidth({ columns = usualColumns }: Output): number {
  return Math.max(1, columns - kept);
}

/** Whether `output` is a terminal on which a line can be written over. */
export function supportsStatusLine(output: Output, env: Environment): boolean {
  return output.isTTY && env.TERM !== "dumb";
}

/** Where a live line stands, and what it shows: nothing, where that is empty. */
interface SharedLine {
  readonly output: Output;
  text: string;
}

/** An output that knows of its live line; each file of `dist` may have this module for itself. */
interface SharedOutput extends Output {
  readonly bottom?: SharedLine;
}

/**
 * Standard output and standard error of one terminal: a live line on the latter gives way to whatever
 * else is written to either of them, and stands below it then. Where there is no terminal they stay
 * as they are.
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

/** A live line on `output`. It waits for no write: a terminal that was stopped (Ctrl-S) stops nothing else. */
export function openStatusLine(output: SharedOutput): StatusLine {
  const bottom = output.bottom ?? { output, text: "" };
  let latest = 0;
  return {
    async show(text) {
      const turn = ++latest;
      const safe = escapeControls(text);
      const measurer = await measurerFor([safe]);
      if (turn !== latest) return;
      bottom.text = measurer.cut(safe, statusLineWidth(output));
      void bottom.output.write(`${eraseLine}${bottom.text}`);
    },
    clear() {
      latest++;
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
  // What is no whole line would be written over.
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
