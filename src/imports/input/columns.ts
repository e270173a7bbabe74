import { newPetFieldNames, requiredPetFields } from "../../core/pet-fields.ts";
import { closeMatch } from "../../core/strings.ts";
import type { InvalidRow } from "../types.ts";
import type { ColumnMap, Mapping } from "./column-map.ts";
import { excerpt, fieldOfColumn, normalize, quote, rowFields } from "./fields.ts";

/** A column with the values of a field, with values to ignore, or one that must be empty. */
export type Column = { readonly field: string } | "ignored" | "unnamed";

/** How to read a header. */
export interface HeaderOptions {
  readonly ignoreUnknown: boolean;
  readonly columnMap?: ColumnMap;
}

/** The header that most files have. */
export const usualHeader = newPetFieldNames.join(",");

/** Returns the columns that a header names, or what is wrong with it. */
export function readHeader(
  cells: readonly string[],
  options: HeaderOptions,
): { readonly columns: readonly Column[] } | Omit<InvalidRow, "line"> {
  const { ignoreUnknown, columnMap = new Map<string, Mapping>() } = options;
  const fields = cells.map((cell) => columnMap.get(normalize(cell))?.field ?? fieldOfColumn(cell));
  const message =
    noHeader(cells, fields) ??
    unmapped(cells, columnMap) ??
    (ignoreUnknown ? undefined : unknownColumn(cells, fields)) ??
    repeatedField(cells, fields);
  if (message !== undefined) return { message };
  const missing = requiredPetFields.find((field) => !fields.includes(field));
  if (missing !== undefined) return { field: missing, message: "has no column in the header" };
  return { columns: cells.map((cell, i) => columnOf(cell, fields[i])) };
}

function columnOf(cell: string, field: string | undefined): Column {
  if (field !== undefined) return { field };
  return normalize(cell) === "" ? "unnamed" : "ignored";
}

type FieldNames = readonly (string | undefined)[];

function noHeader(cells: readonly string[], fields: FieldNames): string | undefined {
  if (fields.some((field) => field !== undefined)) return undefined;
  if (cells.some((cell) => fieldOfColumn(cell.replace(/^"(.*)"$/, "$1")) !== undefined))
    return "the header is quoted, which is CSV and not TSV: use --format csv";
  const first = JSON.stringify(excerpt(cells.join(",")));
  return `the first line must be a header (${usualHeader}), not ${first}`;
}

function unmapped(cells: readonly string[], columnMap: ColumnMap): string | undefined {
  const names = new Set(cells.map(normalize));
  const [, missing] = [...columnMap].find(([column]) => !names.has(column)) ?? [];
  if (missing === undefined) return undefined;
  const header = cells.map((cell) => cell.trim()).join(", ");
  return `--map names the column ${quote(missing.name)}, but the header has ${excerpt(header)}`;
}

const unknownColumnStart = "unknown column ";

/** Returns whether a message is about an unknown column. */
export function isUnknownColumn(message: string): boolean {
  return message.startsWith(unknownColumnStart);
}

function unknownColumn(cells: readonly string[], fields: FieldNames): string | undefined {
  const unknown = cells.find((cell, i) => fields[i] === undefined && cell.trim() !== "");
  if (unknown === undefined) return undefined;
  const nearest = closeMatch(unknown.trim(), rowFields);
  const advice =
    nearest === undefined
      ? `the columns are ${newPetFieldNames.join(", ")}`
      : `did you mean "${nearest}"?`;
  return `${unknownColumnStart}${JSON.stringify(excerpt(unknown.trim()))}; ${advice}`;
}

function repeatedField(cells: readonly string[], fields: FieldNames): string | undefined {
  const second = fields.findIndex((field, i) => field !== undefined && fields.indexOf(field) < i);
  if (second === -1) return undefined;
  const field = fields[second];
  const names = cells.filter((_cell, i) => fields[i] === field).map((cell) => cell.trim());
  return `the header has more than one column for ${field}: ${excerpt(names.join(", "))}`;
}
