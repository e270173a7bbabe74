import { newPetFieldNames, type NewPetField, requiredPetFields } from "../../core/pet-fields.ts";
import { closeMatch } from "../../core/strings.ts";
import type { RowFault } from "../types.ts";
import { guessByName, guessByValue, ignoringOthers, isStatus } from "./column-guess.ts";
import {
  excerpt,
  fieldOfColumn,
  isIgnoredColumn,
  type Mapping,
  normalize,
  quote,
} from "./fields.ts";
import type { RowOptions } from "./row.ts";

/** A column of CSV or TSV. */
export interface Column {
  /** Its name, or `#` and its place from 1. */
  readonly name: string;
  /** The field that its values are for. */
  readonly field: NewPetField | undefined;
  /** Whether it may have values without a field: not if it has no name. */
  readonly isIgnored: boolean;
}

/** Returns the columns that the first row names, or with `noHeader` only numbers; or what is wrong with it. */
export function readHeader(
  cells: readonly string[],
  options: RowOptions,
): readonly Column[] | RowFault {
  const { columnMap = new Map<string, Mapping>(), noHeader = false, ignoreFields } = options;
  const names = cells.map((cell) => (noHeader ? "" : cell.trim()));
  const mapped = names.map(
    (name, at) => columnMap.get(normalize(name)) ?? columnMap.get(`#${at + 1}`),
  );
  const taken = new Set(mapped.map((mapping) => mapping?.field));
  const columns = names.map((name, at): Column => {
    const own = fieldOfColumn(name);
    const field = mapped[at]?.field ?? (taken.has(own) ? undefined : own);
    return { name: name || `#${at + 1}`, field, isIgnored: ignoreFields || name !== "" };
  });
  const absent = [...columnMap.values()].filter((mapping) => !mapped.includes(mapping));
  const fault =
    notHeader(cells, columns, options) ??
    repeatedField(columns) ??
    wrongColumns(columns, absent, options, cells);
  if (fault === undefined) return columns;
  // Another column for a field that is mapped to a wrong one would contradict it.
  return { fatal: "header", ...fault, ...(absent.length > 0 && { cure: [] }) };
}

/** Returns the fault of a first row that is empty, or has no known column and is TSV in quotes or looks like data. */
function notHeader(
  cells: readonly string[],
  columns: readonly Column[],
  options: RowOptions,
): RowFault | undefined {
  const rule = `the first line must be a header (${newPetFieldNames.join(",")})`;
  if (cells.every((cell) => cell === "")) return { message: `is empty: ${rule}` };
  if (options.noHeader || columns.some(({ field }) => field !== undefined)) return undefined;
  if (cells.some((name) => fieldOfColumn(name.replace(/^"(.*)"$/, "$1")) !== undefined))
    return {
      message: "the header is quoted, which is CSV and not TSV: use --format csv",
      cure: [["--format", "csv"]],
    };
  if (!cells.some(isValue)) return undefined;
  const message = `${rule}, but looks like data: ${quote(cells.join(","))}`;
  return { message, cure: [["--no-header"], ...mapsFor(columns, options, cells)] };
}

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
export function isValue(cell: string): boolean {
  return /^[-+]?\d[\d.,:/ -]*$/.test(cell.trim()) || isStatus(cell);
}

function repeatedField(columns: readonly Column[]): RowFault | undefined {
  const fields = columns.map((column) => column.field);
  const field = fields.find((each, at) => each !== undefined && fields.indexOf(each) < at);
  if (field === undefined) return undefined;
  const same = columns.filter((column) => column.field === field).map(({ name }) => name);
  return {
    message: `the header has more than one column for ${field}: ${excerpt(same.join(", "))}`,
    cure: [["--map", `#${fields.indexOf(field) + 1}=${field}`]],
  };
}

/** Returns what is unknown and what is missing, all at once. */
function wrongColumns(
  columns: readonly Column[],
  absent: readonly Mapping[],
  options: RowOptions,
  cells: readonly string[],
): RowFault | undefined {
  const { missing, others } = surveyOf(columns, options);
  const unknown = options.ignoreFields ? [] : others.filter(({ isIgnored }) => isIgnored);
  const parts = [
    ...(absent.length > 0 ? [absentColumns(absent, columns)] : []),
    ...(missing.length > 0 ? [`no column for ${missing.join(" and ")}`] : []),
    ...(unknown.length > 0 ? [unknownColumns(unknown.map(nameOf))] : []),
  ];
  if (parts.length === 0) return undefined;
  const values = options.noHeader ? cells : undefined;
  return { message: parts.join("; "), cure: mapsFor(columns, options, values) };
}

/** Returns the fields without a column or a default, those of them that are required, and the columns without a field. */
function surveyOf(columns: readonly Column[], { defaults = {} }: RowOptions) {
  const found = new Set(columns.map(({ field }) => field));
  const free = newPetFieldNames.filter(
    (field) => !found.has(field) && defaults[field] === undefined,
  );
  const others = columns.filter(
    ({ name, field }) => !(field ?? fieldOfColumn(name)) && !isIgnoredColumn(name),
  );
  return { free, missing: requiredPetFields.filter((field) => free.includes(field)), others };
}

/** Returns the flags with which these columns can be read, by their names or, without a header, by `values`. */
function mapsFor(columns: readonly Column[], options: RowOptions, values?: readonly string[]) {
  const { free, missing, others } = surveyOf(columns, options);
  const maps =
    values === undefined
      ? guessByName(others.map(nameOf), free, missing)
      : guessByValue(values, free, missing);
  return options.ignoreFields ? maps : ignoringOthers(maps, others.length);
}

const nameOf = ({ name }: Column): string => name;

function absentColumns(absent: readonly Mapping[], columns: readonly Column[]): string {
  const names = absent.map(({ name }) => quote(name)).join(", ");
  return `--map names ${names}, but the columns are ${excerpt(columns.map(nameOf).join(", "))}`;
}

/** How many unknown columns are named. */
const maxNamed = 20;

function unknownColumns(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).map((name) => {
    const nearest = closeMatch(name, newPetFieldNames);
    return quote(name) + (nearest === undefined ? "" : ` (did you mean "${nearest}"?)`);
  });
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  const what = names.length === 1 ? "unknown column" : "unknown columns";
  return `${what} ${shown.join(", ")}${more}; the columns are ${newPetFieldNames.join(", ")}`;
}
