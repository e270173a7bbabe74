import { usageFailure } from "../../core/errors.ts";
import { parseInt64 } from "../../core/int64.ts";
import {
  asPetStatus,
  brokenRule,
  isEmptyName,
  type NewPetField,
  newPetFieldList,
  newPetFieldNames,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import { closeMatch, truncate, typosIn } from "../../core/strings.ts";
import type { RowFault } from "../types.ts";

/** What is read of an input, by the flags of `pets add --from`. */
export interface RowOptions {
  readonly ignoreFields?: boolean;
  readonly noHeader?: boolean;
  readonly skipLines?: number;
  readonly items?: string;
  readonly columnMap?: ColumnMap;
  /** Paths of `--map` that no JSON value has had: each is removed when one has it. */
  readonly absent?: Set<Mapping>;
  readonly valueMap?: ValueMap;
  /** The values of rows that have none. */
  readonly defaults?: Partial<NewPet>;
}

/** What results add to the fields of a row, in their order. On the way in they are ignored: the service assigns ids. */
export const resultFields = ["outcome", "id", "error"] as const;

/** Returns a column's name for comparison: trimmed and in lower case. */
export const normalize = (column: string): string => column.trim().toLowerCase();

/** Returns whether a column is one of `resultFields`. */
export const isIgnoredColumn = (column: string): boolean =>
  resultFields.some((field) => field === normalize(column));

const fields: ReadonlySet<string> = new Set([...newPetFieldNames, ...resultFields]);

/** Returns whether a JSON row may have a field of this name. */
export const isKnownField = (name: string): boolean => fields.has(name);

const fieldsByColumn: ReadonlyMap<string, NewPetField> = new Map([
  ...newPetFieldNames.map((field) => [field.toLowerCase(), field] as const),
  ...newPetFieldList.flatMap(({ field, column }) => (column ? [[column, field] as const] : [])),
]);

/** Returns the field that a column has by its own name, if any. */
const fieldOfColumn = (column: string): NewPetField | undefined =>
  fieldsByColumn.get(normalize(column));

/** Returns the beginning of a text that may be long, for a message. */
export const excerpt = (text: string): string => truncate(text, 60);

/** Returns the beginning of a text in double quotes. */
export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** A column, or a path into a JSON object, that `--map` gives to a field. */
export interface Mapping {
  readonly field: NewPetField;
  /** As it was typed. */
  readonly name: string;
}

/** The columns of `--map` by their normalized names. */
export type ColumnMap = ReadonlyMap<string, Mapping>;

/** Returns the map of values like `COLUMN=FIELD`, which must be one to one. Throws a usage Failure. */
export function parseColumnMap(values: readonly string[]): ColumnMap {
  const map = new Map<string, Mapping>();
  for (const value of values) {
    const mapping = parseMapping(value);
    const key = normalize(mapping.name);
    const other = [...map].find(
      ([each, { field }]) => (each === key) !== (field === mapping.field),
    );
    if (other !== undefined) {
      const [, { name, field }] = other;
      throw usageFailure(`--map ${quote(value)} contradicts --map ${quote(`${name}=${field}`)}`);
    }
    map.set(key, mapping);
  }
  return map;
}

function parseMapping(value: string): Mapping {
  const end = value.lastIndexOf("=");
  const name = value.slice(0, Math.max(0, end));
  const field = fieldOfColumn(value.slice(end + 1));
  if (normalize(name) !== "" && field !== undefined) return { name, field };
  throw usageFailure(
    `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${quote(value)}`,
    "For example: `--map Animal=name`.",
  );
}

/** What `--value` makes of texts, by field and normalized text (`status:gone`); `*` is any that is not named. */
export type ValueMap = ReadonlyMap<string, unknown>;

/** Returns the map of values like `FIELD:TEXT=VALUE`. Throws a usage Failure. */
export function parseValueMap(values: readonly string[]): ValueMap {
  const map = new Map<string, unknown>();
  for (const value of values) {
    const { field, text, typed } = parseReplacement(value);
    const key = `${field}:${normalize(text)}`;
    if (map.has(key) && map.get(key) !== typed)
      throw usageFailure(`--value gives ${quote(text)} two values for ${field}`);
    map.set(key, typed);
  }
  return map;
}

function parseReplacement(value: string) {
  const colon = value.indexOf(":");
  const end = value.lastIndexOf("=");
  const field = fieldOfColumn(value.slice(0, Math.max(0, colon)));
  if (field === undefined || end < colon)
    throw usageFailure(
      `--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD, not ${quote(value)}`,
      "For example: `--value category:Dog=1`.",
    );
  const written = value.slice(end + 1);
  const typed = typedValues[field](written);
  if (typed === undefined)
    throw usageFailure(
      `--value ${quote(value)}: ${field} ${brokenRule(field, written)}, not ${quote(written)}`,
    );
  return { field, text: value.slice(colon + 1, end), typed };
}

/** Returns the value that a text spells for a field; undefined if it is not valid. */
const typedValues: Readonly<Record<NewPetField, (text: string) => unknown>> = {
  name: (text) => (isEmptyName(text) ? undefined : text),
  categoryId: parseInt64,
  status: asPetStatus,
};

/** Flags that would help, each with its value. */
export type Flags = readonly (readonly string[])[];

/** The flags that give a field to rows that have none. */
export const defaultFlags: Readonly<Record<NewPetField, Flags>> = {
  name: [["--name", "NAME"]],
  categoryId: [["--category", "ID"]],
  status: [],
};

/** The names of columns that say which field they are for, in lower case without blanks and signs. */
const namesOf: Readonly<Record<NewPetField, readonly string[]>> = {
  name: ["name", "animalname", "animalsname", "petname", "petsname", "tiername", "namedestieres"],
  categoryId: ["category", "categoryid", "kategorie", "species", "animaltype", "tierart"],
  status: ["status", "adoptionstatus", "animalstatus", "petstatus"],
};

const maxNameLength = 50;

/** Returns whether a column's name says that it is for a field; up to `maxTypos` letters may be wrong. */
function isNamedFor(field: NewPetField, column: string, maxTypos: number): boolean {
  if (column.length > maxNameLength) return false;
  const name = normalize(column).replace(/[^\p{L}\p{N}]/gu, "");
  return namesOf[field].some((each) => each[0] === name[0] && typosIn(name, each) <= maxTypos);
}

/** Returns whether a column's name is one for a field. */
export const isFieldName = (column: string): boolean =>
  newPetFieldNames.some((field) => isNamedFor(field, column, 0));

const placeholder = (field: NewPetField): readonly string[] => ["--map", `COLUMN=${field}`];

/**
 * Returns the flags that name columns for `wanted` fields, where their names say so, and ignore the others. Of `needed`
 * fields those without a column get a placeholder: a column that is merely left could add wrong animals.
 */
export function guessByName(
  columns: readonly string[],
  wanted: readonly NewPetField[],
  needed: readonly NewPetField[],
): Flags {
  const left = new Set(columns);
  const chosen = new Map<NewPetField, string>();
  for (const field of wanted) {
    const [column] = [0, 1].flatMap((typos) =>
      [...left].filter((each) => isNamedFor(field, each, typos)),
    );
    if (column !== undefined && left.delete(column)) chosen.set(field, column);
  }
  const others = needed.filter((field) => !chosen.has(field));
  return [
    ...[...chosen].map(([field, column]) => ["--map", `${column}=${field}`]),
    ...others.flatMap((field) => (left.size > 0 ? [placeholder(field)] : defaultFlags[field])),
  ];
}

/** Returns the flags that read values without a header: only a status shows which column it is in. */
function guessByValue(
  cells: readonly string[],
  wanted: readonly NewPetField[],
  needed: readonly NewPetField[],
): Flags {
  const status = wanted.includes("status") ? cells.findIndex(isStatus) : -1;
  return [
    ...needed.map(placeholder),
    ...(status === -1 ? [] : [["--map", `#${status + 1}=status`]]),
  ];
}

/** Returns these maps of some `columns`, and the flag that ignores the others if there are any. */
export function ignoringOthers(maps: Flags, columns: number): Flags {
  const isLeft = columns > maps.filter(([flag]) => flag === "--map").length;
  return isLeft ? [...maps, ["--ignore-fields"]] : maps;
}

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

/** Returns the fault of a first row that has no known column and is TSV in quotes or looks like data. */
function notHeader(
  cells: readonly string[],
  columns: readonly Column[],
  options: RowOptions,
): RowFault | undefined {
  if (cells.every((cell) => cell === "")) return { message: "is empty", fatal: "file" };
  if (options.noHeader || columns.some(({ field }) => field !== undefined)) return undefined;
  if (cells.some((name) => fieldOfColumn(name.replace(/^"(.*)"$/, "$1")) !== undefined))
    return { message: "the header is quoted, so this is CSV, not TSV", cure: [asCsv] };
  if (!cells.some(isValue)) return undefined;
  return {
    message: `expected a header such as ${newPetFieldNames.join(",")}, not ${quote(cells.join(","))}`,
    cure: [["--no-header"], ...mapsFor(columns, options, cells)],
  };
}

/** The flag that reads a file as CSV. */
export const asCsv = ["--format", "csv"];

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
export function isValue(cell: string): boolean {
  return /^[-+]?\d[\d.,:/ -]*$/.test(cell.trim()) || isStatus(cell);
}

const isStatus = (cell: string): boolean => asPetStatus(normalize(cell)) !== undefined;

function repeatedField(columns: readonly Column[]): RowFault | undefined {
  const ofColumns = columns.map((column) => column.field);
  const field = ofColumns.find((each, at) => each !== undefined && ofColumns.indexOf(each) < at);
  if (field === undefined) return undefined;
  const same = columns.filter((column) => column.field === field).map(({ name }) => name);
  return {
    message: `the header has more than one column for ${field}: ${excerpt(same.join(", "))}`,
    cure: [["--map", `#${ofColumns.indexOf(field) + 1}=${field}`]],
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
