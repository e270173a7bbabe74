import { escapeControls } from "../core/sanitize.ts";
import type { Environment, Output } from "../platform/io.ts";
import { cutText } from "./text.ts";

const defaultColumns = 80;
const eraseLine = "\r\x1b[K";
// A terminal may wrap when its last column is written to, and a wrapped line can't be erased. The
// `^C` that it echoes for Ctrl-C needs room too.
const reservedColumns = "^C".length + 1;

/** Returns how many columns a status line may have, beside the `^C` that a terminal shows. */
export function statusLineWidth({ columns = defaultColumns }: Output): number {
  return Math.max(1, columns - reservedColumns);
}

/** What the status line of a terminal is written to, and what it shows now. */
interface SharedLine {
  readonly output: Output;
  text: string;
}

interface SharedOutput extends Output {
  readonly line?: SharedLine;
}

/** Returns both outputs such that a status line on the latter is erased for what is written to either, and redrawn. */
export function coordinateTerminal({ stdout, stderr }: Record<"stdout" | "stderr", Output>) {
  if (!stderr.isTTY) return { stdout, stderr };
  const line: SharedLine = { output: stderr, text: "" };
  return { stdout: stdout.isTTY ? above(line, stdout) : stdout, stderr: above(line, stderr) };
}

function above(line: SharedLine, output: Output): SharedOutput {
  return {
    line,
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
    write(text) {
      if (line.text === "") return output.write(text);
      void line.output.write(eraseLine);
      const written = output.write(text);
      // An unfinished line would be overwritten.
      if (!text.endsWith("\n")) line.text = "";
      else void line.output.write(line.text);
      return written;
    },
  };
}

/** Opens a line that is overwritten in place; undefined where TERM or ACCESSIBLE forbid it. */
export function openStatusLine(output: SharedOutput, { TERM, ACCESSIBLE = "" }: Environment) {
  if (!output.isTTY || TERM === "dumb" || !["", "0"].includes(ACCESSIBLE)) return undefined;
  const line = output.line ?? { output, text: "" };
  return {
    // Not awaited: a stopped terminal (Ctrl-S) must not stop anything else.
    show(text: string): void {
      line.text = cutText(escapeControls(text), statusLineWidth(output));
      void line.output.write(`${eraseLine}${line.text}`);
    },
    clear(): void {
      if (line.text !== "") void line.output.write(eraseLine);
      line.text = "";
    },
  };
}
