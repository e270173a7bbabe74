import {
  asPetStatus,
  newPetFieldNames,
  type NewPetField,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import { closeMatch } from "../../core/strings.ts";
import type { RowFault } from "../types.ts";
import { guessByName, guessByValue } from "./column-guess.ts";
import {
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

/** The names of columns, empty for `noHeader`, and the fields that they stand for. */
interface Header {
  readonly names: readonly string[];
  readonly fields: readonly (NewPetField | undefined)[];
}

/** Returns the columns that the first row names, or with `noHeader` only numbers; or what is wrong with it. */
export function readHeader(
  cells: readonly string[],
  options: RowOptions,
): readonly Column[] | RowFault {
  const { columnMap = new Map<string, Mapping>(), noHeader, ignoreFields } = options;
  const names = noHeader ? cells.map(() => "") : cells;
  const keys = new Set(names.map(normalize));
  const mapped = names.map((name, i) => {
    const place = `#${i + 1}`;
    return columnMap.get(normalize(name)) ?? (keys.has(place) ? undefined : columnMap.get(place));
  });
  const taken = new Set(mapped.map((mapping) => mapping?.field));
  const fields = names.map((name, i) => {
    const own = fieldOfColumn(name);
    return mapped[i]?.field ?? (taken.has(own) ? undefined : own);
  });
  const header: Header = { names, fields };
  const absent = [...columnMap.values()].filter((mapping) => !mapped.includes(mapping));
  const fault =
    (noHeader ? undefined : notHeader(header)) ??
    repeatedField(header) ??
    missingColumns(header, absent, options, cells);
  if (fault !== undefined) return fault;
  return fields.map((field, i) => {
    if (field !== undefined) return { field };
    return names[i]?.trim() === "" && !ignoreFields ? "unnamed" : "ignored";
  });
}

/** Returns the name of a column in messages: its own, or `#` and its place from 1. */
export function columnName(name: string, index: number): string {
  return name.trim() === "" ? `#${index + 1}` : name.trim();
}

/** Returns the fault of a first row without any known column that is TSV in quotes, or looks like data. */
function notHeader({ names, fields }: Header): RowFault | undefined {
  if (fields.some((field) => field !== undefined)) return undefined;
  if (names.some((name) => fieldOfColumn(name.replace(/^"(.*)"$/, "$1")) !== undefined))
    return {
      message: "the header is quoted, which is CSV and not TSV: use --format csv",
      cure: [["--format", "csv"]],
    };
  if (!names.some(isValue)) return undefined;
  const first = quote(names.join(","));
  const message = `the first line must be a header (${usualHeader}), but looks like data: ${first}`;
  return { message, cure: guessByValue(names) };
}

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
function isValue(cell: string): boolean {
  const text = normalize(cell);
  return /^[-+]?\d[\d.,:/ -]*$/.test(text) || asPetStatus(text) !== undefined;
}

function repeatedField({ names, fields }: Header): RowFault | undefined {
  const field = fields.find((each, i) => each !== undefined && fields.indexOf(each) < i);
  if (field === undefined) return undefined;
  const same = names.map(columnName).filter((_name, i) => fields[i] === field);
  return {
    message: `the header has more than one column for ${field}: ${excerpt(same.join(", "))}`,
    cure: [["--map", `#${fields.indexOf(field) + 1}=${field}`]],
  };
}

/** Returns what is unknown and what is missing, all at once. */
function missingColumns(
  { names, fields }: Header,
  absent: readonly Mapping[],
  { ignoreFields, noHeader, defaults = {} }: RowOptions,
  cells: readonly string[],
): RowFault | undefined {
  const free = newPetFieldNames.filter(
    (field) => !fields.includes(field) && defaults[field] === undefined,
  );
  const missing = requiredPetFields.filter((field) => free.includes(field));
  const unused = names.map(columnName).filter((_name, i) => fields[i] === undefined);
  const unknown = names
    .filter((name, i) => fields[i] === undefined && fieldOfColumn(name) === undefined)
    .filter((name) => name.trim() !== "" && !isIgnoredColumn(name));
  const parts = [
    absent.length > 0 && absentColumns(absent, names),
    missing.length > 0 && `no column for ${missing.join(" and ")}`,
    unknown.length > 0 && !ignoreFields && unknownColumns(unknown),
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  const message = parts.join("; ");
  if (noHeader) return { message, cure: guessByValue(cells) };
  const flags = guessByName(unused, free, missing);
  const isLeft = unknown.length > flags.filter(([flag]) => flag === "--map").length;
  return { message, cure: [...flags, ...(isLeft && !ignoreFields ? [["--ignore-fields"]] : [])] };
}

function absentColumns(absent: readonly Mapping[], names: readonly string[]): string {
  const columns = excerpt(names.map(columnName).join(", "));
  return `--map names ${absent.map(({ name }) => quote(name)).join(", ")}, but the columns are ${columns}`;
}

/** How many unknown columns are named. */
const maxNamed = 20;

function unknownColumns(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).map((name) => {
    const nearest = closeMatch(name.trim(), newPetFieldNames);
    const advice = nearest === undefined ? undefined : `did you mean "${nearest}"?`;
    return { name: quote(name.trim()), advice };
  });
  const [first] = shown;
  if (names.length === 1 && first !== undefined) {
    const { name, advice = `the columns are ${newPetFieldNames.join(", ")}` } = first;
    return `unknown column ${name}; ${advice}`;
  }
  const list = shown.map((each) => (each.advice ? `${each.name} (${each.advice})` : each.name));
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  return `unknown columns ${list.join(", ")}${more}`;
}
