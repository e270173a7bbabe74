import { usageFailure } from "../../core/errors.ts";
import {
  asPetStatus,
  type NewPetField,
  newPetFieldList,
  newPetFieldNames,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import { closeMatch, truncate, typosIn } from "../../core/strings.ts";
import type { Flags, ReadOptions, RowFault } from "../types.ts";

/** How rows are read, with `--map` and `--value` parsed. */
export interface RowOptions extends ReadOptions {
  readonly columnMap?: ColumnMap;
  /** What `--value` makes of texts, by field and normalized text (`status:gone`); `*` is any that is not named. */
  readonly valueMap?: ReadonlyMap<string, unknown>;
  readonly defaults?: Readonly<Partial<Record<NewPetField, unknown>>>;
}

/** What results add to the fields of a row, in their order. On the way in they are ignored: the service assigns ids. */
export const resultFields = ["outcome", "id", "error"] as const;

export const normalize = (column: string): string => column.trim().toLowerCase();

export const isIgnoredColumn = (column: string): boolean =>
  resultFields.some((field) => field === normalize(column));

/** The fields that a JSON row may have. */
export const knownFields: ReadonlySet<string> = new Set([...newPetFieldNames, ...resultFields]);

/** Returns the field that a column has by its own name, if any. */
export function fieldOfColumn(column: string): NewPetField | undefined {
  const name = normalize(column);
  return newPetFieldList.find(
    ({ field, column: other }) => field.toLowerCase() === name || other === name,
  )?.field;
}

export const excerpt = (text: string): string => truncate(text, 60);

export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** A column, or a path into a JSON object, that `--map` gives to a field. */
export interface Mapping {
  readonly field: NewPetField;
  readonly name: string;
  /** Whether a JSON value has had the path. */
  isFound: boolean;
}

export type ColumnMap = ReadonlyMap<string, Mapping>;

/** Returns the map of values like `COLUMN=FIELD`, which must be one to one. Throws a usage Failure. */
export function parseColumnMap(values: readonly string[]): ColumnMap {
  const map = new Map<string, Mapping>();
  for (const value of values) {
    const end = value.lastIndexOf("=");
    const name = value.slice(0, Math.max(0, end));
    const key = normalize(name);
    const field = fieldOfColumn(value.slice(end + 1));
    if (key === "" || field === undefined)
      throw usageFailure(
        `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${quote(value)}`,
        "For example: `--map Animal=name`.",
      );
    for (const [other, mapping] of map)
      if ((other === key) !== (mapping.field === field))
        throw usageFailure(
          `--map ${quote(value)} contradicts --map ${quote(`${mapping.name}=${mapping.field}`)}`,
        );
    map.set(key, { name, field, isFound: false });
  }
  return map;
}

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

export const isFieldName = (column: string): boolean =>
  newPetFieldNames.some((field) => isNamedFor(field, column, 0));

const requiredAmong = (fields: readonly NewPetField[]): readonly NewPetField[] =>
  requiredPetFields.filter((field) => fields.includes(field));

const placeholder = (field: NewPetField): readonly string[] => ["--map", `COLUMN=${field}`];

/**
 * Returns the flags that map columns to `wanted` fields, where their names say so. A required field without one gets a
 * placeholder: a column that is merely left could add wrong animals.
 */
export function guessByName(columns: readonly string[], wanted: readonly NewPetField[]): Flags {
  const left = new Set(columns);
  const chosen = new Map<NewPetField, string>();
  for (const field of wanted) {
    const column = [...left].find((each) => isNamedFor(field, each, 1));
    if (column !== undefined && left.delete(column)) chosen.set(field, column);
  }
  const others = requiredAmong(wanted).filter((field) => !chosen.has(field));
  return [
    ...[...chosen].map(([field, column]) => ["--map", `${column}=${field}`]),
    ...others.flatMap((field) => (left.size > 0 ? [placeholder(field)] : defaultFlags[field])),
  ];
}

/** Returns these maps of some `columns`, and the flag that ignores the others if there are any. */
export function ignoringOthers(maps: Flags, columns: number): Flags {
  const isLeft = columns > maps.filter(([flag]) => flag === "--map").length;
  return isLeft ? [...maps, ["--ignore-fields"]] : maps;
}

export const asCsv = ["--format", "csv"];

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
export const isValue = (cell: string): boolean =>
  /^[-+]?\d[\d.,:/ -]*$/.test(cell.trim()) || asPetStatus(normalize(cell)) !== undefined;

export type Cells = readonly string[];

export interface Column {
  /** Its name, or `#` and its place from 1. */
  readonly name: string;
  /** What the header has of it, with blanks and all; its `name` if there is no header. */
  readonly title: string;
  /** The field that its values are for. */
  readonly field: NewPetField | undefined;
  /** Whether it may have values without a field: not if it has no name. */
  readonly isIgnored: boolean;
}

/** Returns the columns that the first row names, or without a header only numbers; or what is wrong with it. */
export function readHeader(cells: Cells, options: RowOptions): readonly Column[] | RowFault {
  const { columnMap = new Map<string, Mapping>(), header = true, ignoreFields } = options;
  const names = cells.map((cell) => (header ? cell.trim() : ""));
  const mapped = names.map(
    (name, at) => columnMap.get(normalize(name)) ?? columnMap.get(`#${at + 1}`),
  );
  const taken = new Set(mapped.map((mapping) => mapping?.field));
  const columns = cells.map((cell, at): Column => {
    const name = names[at] || `#${at + 1}`;
    const own = fieldOfColumn(name);
    const field = mapped[at]?.field ?? (taken.has(own) ? undefined : own);
    const isIgnored = ignoreFields === true || names[at] !== "";
    return { name, title: header ? cell : name, field, isIgnored };
  });
  const absent = [...columnMap.values()].filter((mapping) => !mapped.includes(mapping));
  const fault = headerFault(cells, columns, absent, options);
  if (fault === undefined) return columns;
  // Another column for a field that is mapped to a wrong one would contradict it.
  return { fatal: "header", ...fault, ...(absent.length > 0 && { cure: [] }) };
}

/** Returns what is wrong with a first row: what is unknown and what is missing, all at once. */
function headerFault(
  cells: Cells,
  columns: readonly Column[],
  absent: readonly Mapping[],
  { header = true, ignoreFields, defaults = {} }: RowOptions,
): RowFault | undefined {
  const fields = columns.map(({ field }) => field);
  const isUnknown = header && fields.every((field) => field === undefined);
  if (isUnknown && cells.some((cell) => fieldOfColumn(cell.replace(/^"(.*)"$/, "$1"))))
    return { message: "the header is quoted, so this is CSV, not TSV", cure: [asCsv] };
  const repeated = fields.find((field, at) => field && fields.indexOf(field) < at);
  if (repeated !== undefined) {
    const same = columns.filter(({ field }) => field === repeated);
    return {
      message: `the header has more than one column for ${repeated}: ${excerpt(namesIn(same))}`,
      cure: [["--map", `#${fields.indexOf(repeated) + 1}=${repeated}`]],
    };
  }
  const free = newPetFieldNames.filter(
    (field) => !fields.includes(field) && defaults[field] === undefined,
  );
  const missing = requiredAmong(free);
  const placeholders = missing.map(placeholder);
  if (isUnknown && cells.some(isValue)) {
    const names = newPetFieldNames.join(",");
    const message = `expected a header such as ${names}, not ${quote(cells.join(","))}`;
    return { message, cure: [["--no-header"], ...placeholders] };
  }
  const others = columns.filter(
    ({ name, field }) => !(field ?? fieldOfColumn(name)) && !isIgnoredColumn(name),
  );
  const unknown = ignoreFields ? [] : others.filter(({ isIgnored }) => isIgnored);
  const parts = [
    absent.length > 0 &&
      `--map names ${quoted(absent)}, but the columns are ${excerpt(namesIn(columns))}`,
    missing.length > 0 && `no column for ${missing.join(" and ")}`,
    unknown.length > 0 && unknownColumns(unknown),
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  const left = others.map(({ name }) => name);
  const maps = header ? guessByName(left, free) : placeholders;
  const cure = ignoreFields || !header ? maps : ignoringOthers(maps, others.length);
  return { message: parts.join("; "), cure };
}

type Named = Pick<Column, "name">;

const namesIn = (columns: readonly Named[]): string => columns.map(({ name }) => name).join(", ");

export const quoted = (columns: readonly Named[]): string =>
  columns.map(({ name }) => quote(name)).join(", ");

const maxNamed = 20;

function unknownColumns(columns: readonly Named[]): string {
  const shown = columns.slice(0, maxNamed).map(({ name }) => {
    const nearest = closeMatch(name, newPetFieldNames);
    return quote(name) + (nearest === undefined ? "" : ` (did you mean "${nearest}"?)`);
  });
  const more = columns.length > maxNamed ? ` and ${columns.length - maxNamed} more` : "";
  const what = columns.length === 1 ? "unknown column" : "unknown columns";
  return `${what} ${shown.join(", ")}${more}; the columns are ${newPetFieldNames.join(", ")}`;
}
