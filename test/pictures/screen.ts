import type { IBufferCell, Terminal } from "@xterm/headless";
import { openTerminal } from "../support/command/screen.ts";
import type { Cell, Line, Style } from "./cells.ts";

/** The content of a terminal, including the lines that were scrolled out. */
export interface Screen {
  /** All lines, without the empty ones at the end. */
  readonly lines: readonly Line[];
  /** How many of them were scrolled out at the top. */
  readonly scrolled: number;
}

/** The size of a terminal, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal that can be written to and inspected. */
export interface Emulator {
  /** Resolves when all of `text` is on the screen. */
  write(text: string): Promise<void>;
  look(): Screen;
}

/** Returns a terminal of this size that keeps what is scrolled out at its top. */
export function openEmulator({ columns, rows }: Size): Emulator {
  const terminal = openTerminal(columns, rows);
  return {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    look: () => look(terminal),
  };
}

function look({ buffer: { active } }: Terminal): Screen {
  const lines = Array.from({ length: active.length }, (_none, y): Line => {
    const line = active.getLine(y);
    return Array.from({ length: line?.length ?? 0 }, (_cell, x) => line?.getCell(x))
      .flatMap((cell) => cell ?? [])
      .flatMap(cellOf);
  });
  return {
    lines: lines.slice(0, lines.findLastIndex((line) => !isEmpty(line)) + 1),
    scrolled: active.baseY,
  };
}

const isEmpty = (line: Line): boolean => line.every(({ text }) => text === " ");

/** Returns the cells; the second column of a wide character has none. */
function cellOf(cell: IBufferCell): Cell | [] {
  const width = cell.getWidth();
  if (width === 0) return [];
  return { text: cell.getChars() || " ", width: width === 2 ? 2 : 1, style: styleOf(cell) };
}

/** Throws for what no picture has needed so far: more than 16 colours, or a background. */
function styleOf(cell: IBufferCell): Style {
  const isKnown = cell.isFgDefault() || (cell.isFgPalette() && cell.getFgColor() < 16);
  if (!isKnown || !cell.isBgDefault() || cell.isInverse() !== 0)
    throw new Error(`a picture can't show the colours of ${JSON.stringify(cell.getChars())}`);
  return {
    ...(cell.isFgPalette() && { color: cell.getFgColor() }),
    ...(cell.isBold() !== 0 && { bold: true }),
    ...(cell.isDim() !== 0 && { dim: true }),
    ...(cell.isItalic() !== 0 && { italic: true }),
    ...(cell.isUnderline() !== 0 && { underline: true }),
  };
}

/** Returns the text of a line without trailing blanks. */
export const textOf = (line: Line): string =>
  line
    .map(({ text }) => text)
    .join("")
    .trimEnd();
