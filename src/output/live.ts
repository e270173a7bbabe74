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

/** Whether `output` is a terminal on which a line can be written over. */
export function canBeLive(output: Output, env: Environment): boolean {
  return output.isTTY && env.TERM !== "dumb";
}

/** A live line on `output`. It waits for no write: a terminal that was stopped (Ctrl-S) stops nothing else. */
export function openLiveLine(output: Output): LiveLine {
  let latest = 0;
  let shown = false;
  return {
    async show(text) {
      const turn = ++latest;
      const safe = escapeControls(text);
      const ruler = await rulerFor([safe]);
      if (turn !== latest) return;
      shown = true;
      // A terminal may break the line as soon as its last column is written to.
      const room = (output.columns ?? usualColumns) - 1;
      void output.write(`${eraseLine}${ruler.cut(safe, room)}`);
    },
    wipe() {
      latest++;
      if (shown) void output.write(eraseLine);
      shown = false;
    },
  };
}
