import { newPetFieldNames, type NewPetField, requiredPetFields } from "../../core/pet-fields.ts";
import { asPetStatus } from "../../core/pet-fields.ts";
import { closeMatch } from "../../core/strings.ts";
import type { RowFault } from "../types.ts";
import { guessByName, guessByValue } from "./column-guess.ts";
import {
  type ColumnMap,
  excerpt,
  fieldOfColumn,
  isIgnoredColumn,
  type Mapping,
  normalize,
  quote,
} from "./fields.ts";
import type { RowOptions } from "./row.ts";

/** A column with the values of a field, with values to ignore, or one without a name that must be empty. */
export type Column = { readonly field: NewPetField } | "ignored" | "unnamed";

/** The header that most files have. */
export const usualHeader = newPetFieldNames.join(",");

/** The names of columns, and whether a header gave them. */
interface Header {
  readonly cells: readonly string[];
  readonly fields: readonly (NewPetField | undefined)[];
  readonly options: RowOptions;
}

/** Returns the columns that the first row names, or with `noHeader` only numbers; or what is wrong with it. */
export function readHeader(
  cells: readonly string[],
  options: RowOptions,
): readonly Column[] | RowFault {
  const { columnMap = new Map<string, Mapping>(), noHeader = false, ignoreFields } = options;
  const mapped = cells.map((cell, i) => mappingAt(noHeader ? "" : cell, i, columnMap, cells));
  const taken = new Set(mapped.map((mapping) => mapping?.field));
  const fields = cells.map((cell, i) => {
    const own = noHeader ? undefined : fieldOfColumn(cell);
    return mapped[i]?.field ?? (taken.has(own) ? undefined : own);
  });
  const header: Header = { cells, fields, options };
  const absent = [...columnMap.values()].filter((mapping) => !mapped.includes(mapping));
  const fault = notHeader(header) ?? repeatedField(header) ?? faultOf(header, absent);
  if (fault !== undefined) return fault;
  return cells.map((cell, i) => {
    const field = fields[i];
    if (field !== undefined) return { field };
    const isUnnamed = noHeader || normalize(cell) === "";
    return isUnnamed && !ignoreFields ? "unnamed" : "ignored";
  });
}

/** Returns the name of a column in messages: its own, or `#` and its place from 1. */
export function columnName(cell: string, index: number): string {
  return cell.trim() === "" ? `#${index + 1}` : cell.trim();
}

/** Returns the mapping of a column by its name, or by its place (`#2`) unless a column has that name. */
function mappingAt(
  cell: string,
  index: number,
  columnMap: ColumnMap,
  cells: readonly string[],
): Mapping | undefined {
  const place = `#${index + 1}`;
  const byName = columnMap.get(normalize(cell));
  if (byName !== undefined || cells.some((each) => normalize(each) === place)) return byName;
  return columnMap.get(place);
}

/** Returns the fault of a first row without any known column that is TSV in quotes, or looks like data. */
function notHeader({ cells, fields, options }: Header): RowFault | undefined {
  if (options.noHeader === true || fields.some((field) => field !== undefined)) return undefined;
  if (cells.some((cell) => fieldOfColumn(cell.replace(/^"(.*)"$/, "$1")) !== undefined))
    return {
      message: "the header is quoted, which is CSV and not TSV: use --format csv",
      cure: [["--format", "csv"]],
    };
  if (!cells.some(isValue)) return undefined;
  const first = quote(cells.join(","));
  const message = `the first line must be a header (${usualHeader}), but looks like data: ${first}`;
  return { message, cure: guessByValue(cells) };
}

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
function isValue(cell: string): boolean {
  const text = normalize(cell);
  return /^[-+]?\d[\d.,:/ -]*$/.test(text) || asPetStatus(text) !== undefined;
}

function repeatedField({ cells, fields }: Header): RowFault | undefined {
  const second = fields.findIndex((field, i) => field !== undefined && fields.indexOf(field) < i);
  const field = fields[second];
  if (field === undefined) return undefined;
  const names = cells.flatMap((cell, i) => (fields[i] === field ? [columnName(cell, i)] : []));
  return {
    message: `the header has more than one column for ${field}: ${excerpt(names.join(", "))}`,
    cure: [["--map", `#${fields.indexOf(field) + 1}=${field}`]],
  };
}

/** Returns what is unknown and what is missing, all at once. */
function faultOf(header: Header, absent: readonly Mapping[]): RowFault | undefined {
  const { cells, fields, options } = header;
  const { ignoreFields, noHeader = false, defaults = {} } = options;
  const isFree = (field: NewPetField): boolean =>
    !fields.includes(field) && defaults[field] === undefined;
  const unknown = noHeader ? [] : cells.filter((_cell, i) => isUnknown(header, i));
  const missing = requiredPetFields.filter(isFree);
  const parts = [
    ...absentMappings(absent, header),
    ...(missing.length > 0 ? [`no column for ${missing.join(" and ")}`] : []),
    ...(unknown.length > 0 && !ignoreFields
      ? [unknownColumns(unknown.map((cell) => cell.trim()))]
      : []),
  ];
  if (parts.length === 0) return undefined;
  const message = parts.join("; ");
  if (noHeader) return { message, cure: guessByValue(cells) };
  const names = cells.map(columnName).filter((_name, i) => fields[i] === undefined);
  const flags = guessByName(names, newPetFieldNames.filter(isFree), missing);
  const isLeft = unknown.length > flags.filter(([flag]) => flag === "--map").length;
  return { message, cure: [...flags, ...(isLeft && !ignoreFields ? [["--ignore-fields"]] : [])] };
}

function isUnknown({ cells, fields }: Header, index: number): boolean {
  const cell = cells[index] ?? "";
  const own = fieldOfColumn(cell);
  const isReplaced = own !== undefined && fields.includes(own);
  return fields[index] === undefined && cell.trim() !== "" && !isIgnoredColumn(cell) && !isReplaced;
}

function absentMappings(absent: readonly Mapping[], { cells, options }: Header): readonly string[] {
  if (absent.length === 0) return [];
  const names = absent.map(({ name }) => quote(name)).join(", ");
  const columns =
    options.noHeader === true ? cells.map((_cell, i) => `#${i + 1}`) : cells.map(columnName);
  return [`--map names ${names}, but the columns are ${excerpt(columns.join(", "))}`];
}

/** How many unknown columns are named. */
const maxNamed = 20;

function unknownColumns(names: readonly string[]): string {
  const [first = ""] = names;
  if (names.length === 1)
    return `unknown column ${quote(first)}; ${meant(first) ?? `the columns are ${newPetFieldNames.join(", ")}`}`;
  const shown = names.slice(0, maxNamed).map((name) => {
    const advice = meant(name);
    return advice === undefined ? quote(name) : `${quote(name)} (${advice})`;
  });
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `unknown columns ${shown.join(", ")}${more}`;
}

function meant(name: string): string | undefined {
  const nearest = closeMatch(name, newPetFieldNames);
  return nearest === undefined ? undefined : `did you mean "${nearest}"?`;
}
