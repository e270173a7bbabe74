import type { Environment, Output } from "../io.ts";
import { escapeControls } from "./sanitize.ts";
import { rulerFor } from "./width.ts";

/** A line at the bottom of a terminal that is written over again and again. */
export interface LiveLine {
  /** Shows `text` in place of what the line showed before, cut to the terminal's width. */
  show(text: string): Promise<void>;
  /** Leaves the line empty, for whatever comes next. */
  wipe(): void;
}

const usualColumns = 80;
const eraseLine = "\r\x1b[K";
// A terminal may break the line as soon as its last column is written to, and then what stands there
// can't be wiped; so there must be room for the `^C` that it shows for Ctrl-C too.
const kept = "^C".length + 1;

/** How many columns a live line on `output` may take. */
export function liveRoom({ columns = usualColumns }: Output): number {
  return Math.max(1, columns - kept);
}

/** Whether `output` is a terminal on which a line can be written over. */
export function canBeLive(output: Output, env: Environment): boolean {
  return output.isTTY && env.TERM !== "dumb";
}

/** Where a live line stands, and what it shows: nothing, where that is empty. */
interface Bottom {
  readonly output: Output;
  text: string;
}

/** An output that knows of its live line; each file of `dist` may have this module for itself. */
interface LiveOutput extends Output {
  readonly bottom?: Bottom;
}

/**
 * Standard output and standard error of one terminal: a live line on the latter gives way to whatever
 * else is written to either of them, and stands below it then. Where there is no terminal they stay
 * as they are.
 */
export function shareTerminal({ stdout, stderr }: Streams): Streams {
  if (!stderr.isTTY) return { stdout, stderr };
  const bottom: Bottom = { output: stderr, text: "" };
  const shared = Object.assign(
    wrap(stderr, (text) => writeAbove(bottom, text)),
    { bottom },
  );
  if (!stdout.isTTY) return { stdout, stderr: shared };
  return { stdout: wrap(stdout, (text) => writeBeside(bottom, stdout, text)), stderr: shared };
}

interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}

/** A live line on `output`. It waits for no write: a terminal that was stopped (Ctrl-S) stops nothing else. */
export function openLiveLine(output: LiveOutput): LiveLine {
  const bottom = output.bottom ?? { output, text: "" };
  let latest = 0;
  return {
    async show(text) {
      const turn = ++latest;
      const safe = escapeControls(text);
      const ruler = await rulerFor([safe]);
      if (turn !== latest) return;
      bottom.text = ruler.cut(safe, liveRoom(output));
      void bottom.output.write(`${eraseLine}${bottom.text}`);
    },
    wipe() {
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

function writeAbove(bottom: Bottom, text: string): Promise<void> {
  if (bottom.text === "") return bottom.output.write(text);
  // What is no whole line would be written over.
  if (!text.endsWith("\n")) bottom.text = "";
  return bottom.output.write(`${eraseLine}${text}${bottom.text}`);
}

function writeBeside(bottom: Bottom, stdout: Output, text: string): Promise<void> {
  if (bottom.text === "") return stdout.write(text);
  void bottom.output.write(eraseLine);
  const written = stdout.write(text);
  if (!text.endsWith("\n")) bottom.text = "";
  else void bottom.output.write(bottom.text);
  return written;
}
