import { usageFailure } from "../../core/errors.ts";
import { OtherNumber } from "../../core/json/parse.ts";
import {
  asPetStatus,
  type NewPetField,
  newPetFieldList,
  newPetFieldNames,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import { isPlaceholder, truncate, typosIn } from "../../core/strings.ts";
import type { Cells, Column, HeaderFacts, Path, ReadOptions } from "../types.ts";

/** How rows are read, with `--map`, `--key` and `--value` parsed. */
export interface RowOptions extends ReadOptions {
  readonly columnMap: ColumnMap;
  readonly keyPath: Path | undefined;
  /** What `--value` makes of texts, by field and normalized text (`status:gone`); `*` is any that is not named. */
  readonly valueMap: ReadonlyMap<string, unknown>;
  /** The path of an array of objects in the first object of JSON, which may be that of the animals. */
  readonly wrapped?: string | undefined;
  readonly defaults?: Readonly<Record<NewPetField, unknown>> | undefined;
}

/** What results add to the fields of a row, in their order. On the way in they are ignored: the service assigns ids. */
export const resultFields = ["outcome", "id", "error"] as const;

export const normalize = (column: string): string => column.trim().toLowerCase();

export const isIgnoredColumn = (column: string): boolean =>
  resultFields.some((field) => field === normalize(column));

/** The fields that a JSON row may have. */
export const knownFields: ReadonlySet<string> = new Set([...newPetFieldNames, ...resultFields]);

/** Returns the field that a column has by its own name, if any. */
export function fieldOfColumn(name: string): NewPetField | undefined {
  const names = newPetFieldList.map(({ field, column }) => ({
    field,
    names: [field.toLowerCase(), column],
  }));
  return names.find((each) => each.names.includes(normalize(name)))?.field;
}

export const excerpt = (text: string): string => truncate(text, 60);

export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** Returns a value of `parseExact` as messages show it. */
export function show(value: unknown): string {
  if (value instanceof OtherNumber) return excerpt(value.source);
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** A path that `--map` gives to a field. */
interface Mapping extends Path {
  readonly field: NewPetField;
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
    if (key === "" || isPlaceholder(name) || field === undefined)
      throw usageFailure(
        `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${quote(value)}`,
        "For example: `--map Animal=name`.",
      );
    for (const [other, mapping] of map)
      if ((other === key) !== (mapping.field === field))
        throw usageFailure(
          `--map ${quote(value)} contradicts --map ${quote(`${mapping.name}=${mapping.field}`)}`,
        );
    map.set(key, { flag: "--map", name, field, isFound: false });
  }
  return map;
}

const words = (text: string): readonly string[] => text.split(" ");

/** The names of columns that say which field they are for, in lower case without blanks and signs. */
const namesOf: Readonly<Record<NewPetField, readonly string[]>> = {
  name: words(
    "name animalname animalsname petname petsname tiername namedestieres nom nombre jméno imię 名前",
  ),
  categoryId: words(
    "category categoryid species animaltype kategorie tierart espèce especie druh gatunek 種類",
  ),
  status: words("status adoptionstatus animalstatus petstatus statut estado stav 状態"),
};

const maxNameLength = 50;

/** Returns whether a column's name says that it is for a field; up to `maxTypos` letters of a longer one may be wrong. */
function isNamedFor(field: NewPetField, column: string, maxTypos: number): boolean {
  if (column.length > maxNameLength) return false;
  const name = normalize(column).replace(/[^\p{L}\p{N}]/gu, "");
  return namesOf[field].some(
    (each) => each[0] === name[0] && typosIn(name, each) <= (each.length > 3 ? maxTypos : 0),
  );
}

export const isFieldName = (column: string): boolean =>
  newPetFieldNames.some((field) => isNamedFor(field, column, 0));

/** Returns the columns whose names say that they are for one of the `wanted` fields, by field. */
export function guessByName(
  columns: readonly string[],
  wanted: readonly NewPetField[],
): ReadonlyMap<NewPetField, string> {
  const left = new Set(columns);
  const chosen = new Map<NewPetField, string>();
  for (const field of wanted) {
    const column = [...left].find((each) => isNamedFor(field, each, 1));
    if (column !== undefined && left.delete(column)) chosen.set(field, column);
  }
  return chosen;
}

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
export const isValue = (cell: string): boolean =>
  /^[-+]?\d[\d.,:/ -]*$/.test(cell.trim()) || asPetStatus(normalize(cell)) !== undefined;

/** Returns the facts of a first row, whose columns have names; without a header only numbers. */
export function readHeader(cells: Cells, options: RowOptions): HeaderFacts {
  const { columnMap, keyPath, defaults, header = true, ignoreFields = false } = options;
  const titles = cells.map((cell) => (header ? cell.trim() : ""));
  const mapped = titles.map(
    (title, at) => columnMap.get(normalize(title)) ?? columnMap.get(`#${at + 1}`),
  );
  const key = keyPath && normalize(keyPath.name);
  const keyAt = titles.findIndex((title, at) => normalize(title) === key || `#${at + 1}` === key);
  const taken = new Set(mapped.map((mapping) => mapping?.field));
  const columns = cells.map((title, at): Column => {
    const name = titles[at] || `#${at + 1}`;
    const own = fieldOfColumn(name);
    const field = mapped[at]?.field ?? (taken.has(own) ? undefined : own);
    const isIgnored = ignoreFields || titles[at] !== "";
    return { name, title, field, isIgnored, isKey: at === keyAt };
  });
  const fields = columns.map(({ field }) => field);
  const twice = fields.find((field, at) => field && fields.indexOf(field) < at);
  const others = columns.filter(
    ({ name, field, isKey }) => !(field ?? fieldOfColumn(name)) && !isIgnoredColumn(name) && !isKey,
  );
  return {
    columns,
    others: others.map(nameOf),
    unknown: ignoreFields ? [] : others.filter(({ isIgnored }) => isIgnored).map(nameOf),
    missing: newPetFieldNames.filter(
      (field) => !fields.includes(field) && defaults?.[field] === undefined,
    ),
    absent: [
      ...[...columnMap.values()].filter((mapping) => !mapped.includes(mapping)),
      ...(keyPath && keyAt < 0 ? [keyPath] : []),
    ],
    repeated: columns.filter(({ field }) => field !== undefined && field === twice).map(nameOf),
    kind: header && !fields.some(Boolean) ? kindOf(cells) : "header",
    sample: [],
    titleLines: 0,
  };
}

const nameOf = ({ name }: Pick<Column, "name">): string => name;

/** Returns what a first row without a known column is. */
function kindOf(cells: Cells): HeaderFacts["kind"] {
  if (cells.some((cell) => fieldOfColumn(cell.replace(/^"(.*)"$/, "$1")))) return "quoted";
  if (cells.some(isValue)) return "data";
  const [name = ""] = cells;
  return cells.length === 1 && !isNamedFor("name", name, 1) ? "single" : "header";
}

/** Returns whether a first row has all that the rows need. */
export const isUnderstood = (facts: HeaderFacts): boolean =>
  facts.kind === "header" &&
  [...facts.unknown, ...facts.absent, ...facts.repeated].length === 0 &&
  !facts.missing.some((field) => requiredPetFields.includes(field));
