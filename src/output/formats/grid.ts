import { Table } from "../../vendor/cli-table3.ts";
import type { Cell } from "./align.ts";
import type { ColumnFit } from "./table-layout.ts";

// One column wide by every measure, and in no plain cell.
const filler = "█";
const fillers = /\u2588+/g;
const plain = /^(?:[!-~](?:[ -~]*[!-~])?)?$/;

const borderless = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
};

// The library takes its time by cells, so each column is one of many lines; but not of thousands.
const linesAtOnce = 32;

/** Rows of cells as lines of aligned columns, without the blanks at their ends. No cell is wider than its column. */
export function renderGrid(rows: readonly (readonly Cell[])[], fit: ColumnFit): string {
  let text = "";
  for (let at = 0; at < rows.length; at += linesAtOnce) {
    text += renderSome(rows.slice(at, at + linesAtOnce), fit);
  }
  return text;
}

// The library measures only ASCII reliably, so it lays out fillers in place of everything else.
function renderSome(rows: readonly (readonly Cell[])[], { widths, gap }: ColumnFit): string {
  const hidden: string[] = [];
  const standIn = ({ text, width }: Cell): string => {
    if (plain.test(text)) return text;
    hidden.push(text);
    return filler.repeat(width);
  };
  const shown = rows.map((row) => row.map(standIn));
  const table = new Table({
    chars: { ...borderless, middle: " ".repeat(gap) },
    colWidths: [...widths],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(widths.map((_width, i) => shown.map((row) => row[i] ?? "").join("\n")));
  const lines = table.toString().split("\n");
  const laidOut = lines.map((line) => `${line.trimEnd()}\n`).join("");
  return laidOut.replace(fillers, () => hidden.shift() ?? "");
}
