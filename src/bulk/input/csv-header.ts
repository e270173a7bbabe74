import { rowFields, type RowOptions, excerpt, unknownFieldMessage } from "./row.ts";
import type { InvalidRow } from "../types.ts";

const fields: ReadonlySet<string> = new Set(rowFields);
const needed = ["name", "categoryId"] as const;

/** What stands in a column: the values of a field, values that nobody wants, or nothing at all. */
export type Column = { readonly field: string } | "ignored" | "unnamed";

/** The columns that a header names, or what is wrong with it. */
export function readHeader(
  cells: readonly string[],
  { ignoreUnknown }: RowOptions,
): { readonly columns: readonly Column[] } | Omit<InvalidRow, "line"> {
  if (!cells.some((cell) => fields.has(cell))) return { message: noHeader(cells) };
  const unknown = cells.find((cell) => cell !== "" && !fields.has(cell));
  if (unknown !== undefined && !ignoreUnknown)
    return { field: excerpt(unknown), message: unknownFieldMessage };
  const twice = cells.find((cell, index) => fields.has(cell) && cells.indexOf(cell) < index);
  if (twice !== undefined) return { field: twice, message: "names two columns" };
  const missing = needed.find((field) => !cells.includes(field));
  if (missing !== undefined) return { field: missing, message: "has no column" };
  return { columns: cells.map(columnOf) };
}

function columnOf(cell: string): Column {
  if (cell === "") return "unnamed";
  return fields.has(cell) ? { field: cell } : "ignored";
}

function noHeader(cells: readonly string[]): string {
  const first = JSON.stringify(excerpt(cells.join(",")));
  return `must name the columns, such as name,categoryId,status, and is ${first}`;
}
