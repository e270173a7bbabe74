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
import type { Cells, Column, Header, Path, ReadOptions, TextFault } from "../types.ts";

/** How rows are read, with `--map`, `--key` and `--value` parsed. */
export interface RowOptions extends ReadOptions {
  readonly columnMap: ColumnMap;
  readonly keyPath: Path | undefined;
  readonly valueMap: ValueMap;
  readonly defaults?: Readonly<Record<NewPetField, unknown>> | undefined;
}

/** What `--value` makes of the texts of each field; undefined means no value. */
type ValueMap = ReadonlyMap<NewPetField, FieldValues>;

export interface FieldValues {
  /** By normalized text; `*` is any that is not named. */
  readonly texts: Map<string, unknown>;
  /** By what a normalized text begins with, the longest first. */
  readonly starts: [start: string, value: unknown][];
}

/** What results add to the fields of a row, in their order. On the way in they are ignored: the service assigns ids. */
export const resultFields = ["outcome", "id", "error"] as const;

/** Returns a word as words are compared. */
export const normalize = (word: string): string => word.trim().toLowerCase();

/** Returns the title of a column on one line. */
const onOneLine = (title: string): string => title.trim().replaceAll(/\s+/g, " ");

/** Returns the title of a column, or a key of JSON, as they are compared. */
export const columnKey = (title: string): string => onOneLine(title).toLowerCase();

/**
 * Returns the fault of results in which `--map` or `--key` names one of their own columns, or a place of the file they are
 * of: columns that this had by the same names are not in them.
 */
export function faultOfResults(
  { columnMap, keyPath }: RowOptions,
  titles: Cells,
): TextFault | undefined {
  const known = new Set(titles.map(columnKey));
  const paths = [...columnMap.values(), ...(keyPath ? [keyPath] : [])];
  const wrong = paths.find(
    ({ name }) => isIgnoredColumn(name) || (/^\s*#\d/.test(name) && !known.has(columnKey(name))),
  );
  return (
    wrong && {
      message: `has results, in which ${wrong.flag} ${quote(wrong.name)} is another column; correct the file itself`,
      fatal: "file",
    }
  );
}

/** Returns how many titles come before those of results, of which a user may have deleted one; undefined for no results. */
export function widthOfResults(titles: Cells): number | undefined {
  const width = titles.findLastIndex((title) => !isIgnoredColumn(title)) + 1;
  return titles.length - width > 1 ? width : undefined;
}

export const isIgnoredColumn = (column: string): boolean =>
  resultFields.some((field) => field === columnKey(column));

const fieldsByName: ReadonlyMap<string, NewPetField> = new Map(
  newPetFieldList.flatMap(({ field, column }) =>
    [field, field.toLowerCase(), column ?? field].map((name) => [name, field]),
  ),
);

/** Returns the field that a column, or a key of JSON, has by its own name, if any. */
export const fieldOfColumn = (name: string): NewPetField | undefined =>
  fieldsByName.get(name) ?? fieldsByName.get(columnKey(name));

export const excerpt = (text: string): string => truncate(text, 60);

export const quote = (text: string): string => JSON.stringify(excerpt(text));

/** Returns a value of `parseExact` as messages show it. */
export function show(value: unknown): string {
  if (value instanceof OtherNumber) return excerpt(value.source);
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

/** The paths that `--map` gives to fields. */
export type ColumnMap = ReadonlyMap<string, Required<Path>>;

/** Adds values like `COLUMN=FIELD` to a map, which must be one to one. Throws a usage Failure. */
export function addColumns(
  map: Map<string, Required<Path>>,
  values: readonly string[],
): typeof map {
  for (const value of values) {
    const [, name = "", target = ""] = /^(.*)=([^=]*)$/s.exec(value) ?? [];
    const key = columnKey(name);
    const field = fieldOfColumn(target);
    if (key === "" || isPlaceholder(name) || field === undefined)
      throw usageFailure(
        `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${quote(value)}`,
        isPlaceholder(name)
          ? `Replace ${name} with the name of the column.`
          : "For example: `--map Animal=name`.",
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

/** The names of columns that say which field they are for, in lower case without blanks and signs. */
const namesOf: Readonly<Record<NewPetField, readonly string[]>> = {
  name: "name animalname animalsname petname petsname tiername namedestieres nom nombre jméno imię 名前".split(
    " ",
  ),
  categoryId:
    "category categoryid species animaltype kategorie tierart espèce especie druh gatunek 種類".split(
      " ",
    ),
  status: "status adoptionstatus animalstatus petstatus statut estado stav 状態".split(" "),
};

const maxNameLength = 50;

const lettersOf = (name: string): string => normalize(name).replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Returns whether a column's name says that it is for a field; up to `maxTypos` letters of a longer one may be wrong. */
function isNamedFor(field: NewPetField, column: string, maxTypos: number): boolean {
  if (column.length > maxNameLength) return false;
  const name = lettersOf(column);
  return namesOf[field].some(
    (each) => each[0] === name[0] && typosIn(name, each) <= (each.length > 3 ? maxTypos : 0),
  );
}

/** Returns the field for which a column's name says that it is, if any. */
export const fieldNamed = (column: string): NewPetField | undefined =>
  newPetFieldNames.find((field) => isNamedFor(field, column, 0));

export const isFieldName = (column: string): boolean => fieldNamed(column) !== undefined;

/** What holds the fields of an animal in JSON, not those of its owner or its category. */
const holders =
  /^(?:fields|properties|attributes|data|details|item|record|row|node|doc|value|_source|animal|pet|dog|cat)$/i;

/** Returns whether the last part of a path says that it is for a field: `fields.name`. */
function endsForField(field: NewPetField, path: string): boolean {
  const parts = path.split(".");
  const last = parts.pop() ?? "";
  return parts.every((part) => holders.test(part)) && isNamedFor(field, last, 0);
}

/** Returns the columns whose names alone say that they are for one of the `wanted` fields, by field. */
export function guessByName(
  columns: readonly string[],
  wanted: readonly NewPetField[],
): ReadonlyMap<NewPetField, string> {
  const left = new Set(columns);
  const chosen = new Map<NewPetField, string>();
  const rules = [
    (field: NewPetField, column: string) => isNamedFor(field, column, 0),
    (field: NewPetField, column: string) => isNamedFor(field, column, 1),
    endsForField,
  ];
  for (const isFor of rules)
    for (const field of wanted.filter((each) => !chosen.has(each))) {
      const [column, ...others] = [...left].filter((each) => isFor(field, each));
      if (column !== undefined && others.length === 0 && left.delete(column))
        chosen.set(field, column);
    }
  return chosen;
}

/** What columns are called that identify an animal. */
const keyNames =
  /^(?:(?:micro)?chip(?:no|nr|num|id|nummer|number|code)*|transponder(?:nr|nummer|number)?|(?:animal|pet|rescue|shelter|tier|hunde?)(?:id|nr|no|nummer|number)|intakeid|tagno|uuid|guid)$/;

/** Returns the column whose name says that it identifies an animal, if one alone does. */
export function guessKey(columns: readonly string[]): string | undefined {
  const found = columns.filter((name) => keyNames.test(lettersOf(name.replace(/^.*\./, ""))));
  return found.length === 1 ? found[0] : undefined;
}

const isNumber = (cell: string): boolean => /^[-+]?\d[\d.,:/ -]*$/.test(cell.trim());
const isStatus = (cell: string): boolean => asPetStatus(normalize(cell)) !== undefined;

/** Returns whether a cell is a text: not blank, nor a number or a date. */
export const isText = (cell: string): boolean => cell.trim() !== "" && !isNumber(cell);

/** Returns whether a cell of a first row is a number, a date or a status, as no name of a column is. */
export const isValue = (cell: string): boolean => isNumber(cell) || isStatus(cell);

/** Returns the places, from 0, of the columns that a name is of: a title, `#2`, or `#2 TITLE`. */
function placesOf(name: string, titles: readonly string[]): readonly number[] {
  const key = columnKey(name);
  const titled = titles.flatMap((title, at) => (title !== "" && title === key ? [at] : []));
  if (titled.length > 0) return titled;
  const [, place, title] = /^#(\d{1,7})(?: (.+))?$/.exec(key) ?? [];
  const at = Number(place) - 1;
  const isThere = at >= 0 && at < titles.length && (title === undefined || title === titles[at]);
  return isThere ? [at] : [];
}

/** Returns the names by which `--map` and a mapping know columns of these titles: a title that comes twice with its place. */
function columnNames(titles: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const title of titles) counts.set(columnKey(title), (counts.get(columnKey(title)) ?? 0) + 1);
  return titles.map((title, at) => {
    const own = onOneLine(title);
    const isOwn = counts.get(columnKey(title)) === 1;
    return isOwn && own !== "" && !isPlaceholder(own) ? own : `#${at + 1} ${own}`.trim();
  });
}

/** Returns what a first row says, whose columns have names; without a header only numbers. */
export function readHeader(cells: Cells, options: RowOptions, below: readonly Cells[]): Header {
  const { columnMap, keyPath, defaults, header = true, ignoreFields = false } = options;
  const titles = header ? cells : cells.map(() => "");
  const [names, keys] = [columnNames(titles), titles.map(columnKey)];
  const placed = [...columnMap.values(), ...(keyPath ? [keyPath] : [])].map((path) => ({
    path,
    places: placesOf(path.name, keys),
  }));
  const pathsAt = (at: number) =>
    placed.filter(({ places }) => places.includes(at)).map(({ path }) => path);
  const mapped = cells.map((_cell, at) => pathsAt(at).find(({ flag }) => flag === "--map"));
  const taken = new Set(mapped.map((mapping) => mapping?.field));
  const columns = cells.map((cell, at): Column => {
    const own = fieldOfColumn(titles[at] ?? "");
    return {
      name: names[at] ?? "",
      title: cell.trim(),
      field: mapped[at]?.field ?? (taken.has(own) ? undefined : own),
      isIgnored: ignoreFields || keys[at] !== "",
      isKey: pathsAt(at).some(({ flag }) => flag === "--key"),
    };
  });
  const fields = columns.map(({ field }) => field);
  const others = columns.filter(({ field, isKey }, at) => {
    const title = titles[at] ?? "";
    return !field && !isKey && !(fieldOfColumn(title) ?? isIgnoredColumn(title));
  });
  const twice = fields.find((field, at) => field && fields.indexOf(field) < at);
  const keyCount = columns.filter(({ isKey }) => isKey).length;
  const isTwice = ({ field, isKey }: Column): boolean =>
    (field !== undefined && field === twice) || (isKey && keyCount > 1);
  return {
    columns,
    others: others.map(nameOf),
    unknown: ignoreFields ? [] : others.filter(({ isIgnored }) => isIgnored).map(nameOf),
    missing: newPetFieldNames.filter(
      (field) => !fields.includes(field) && defaults?.[field] === undefined,
    ),
    absent: placed.filter(({ places }) => places.length === 0).map(({ path }) => path),
    repeated: columns.filter(isTwice).map(nameOf),
    kind: header ? kindOf(columns, mapped, cells, below) : "header",
  };
}

/** Returns whether columns have no names but their places. */
export const isHeadless = (columns: readonly Pick<Column, "name">[]): boolean =>
  columns.every(({ name }, at) => name === `#${at + 1}`);

const nameOf = ({ name }: Pick<Column, "name">): string => name;

/** Returns what a first row is: a header if it has a known title, else by the rows below it. */
function kindOf(
  columns: readonly Column[],
  mapped: readonly (Path | undefined)[],
  cells: Cells,
  below: readonly Cells[],
): Header["kind"] {
  const isPlaced = (at: number): boolean => /^#\d+$/.test(mapped[at]?.name.trim() ?? "");
  if (columns.some(({ field }, at) => field && !isPlaced(at))) return "header";
  const kind = kindOfUnknown(cells, below);
  const isMapped = columns.some(({ field }) => field);
  return isMapped && kind !== "data" ? "header" : kind;
}

function kindOfUnknown(cells: Cells, below: readonly Cells[]): Header["kind"] {
  if (cells.some((cell) => fieldOfColumn(cell.replace(/^"(.*)"$/, "$1")))) return "quoted";
  if (cells.some(isFieldName) || guessByName(cells, ["name", "categoryId"]).size > 0)
    return "header";
  if (cells.some(isNumber) && cells.some(isStatus)) return "data";
  const others = below.filter((row) => row.some((cell, at) => cell !== cells[at]));
  const comesAgain = (cell: string, at: number): boolean =>
    isText(cell) && others.some((row) => normalize(row[at] ?? "") === normalize(cell));
  if (cells.some(comesAgain)) return "data";
  return cells.length === 1 ? "single" : "unsure";
}

/** Returns whether a first row has all that the rows need. */
export const isUnderstood = (facts: Header): boolean =>
  facts.kind === "header" &&
  [...facts.unknown, ...facts.absent, ...facts.repeated].length === 0 &&
  !facts.missing.some((field) => requiredPetFields.includes(field));
