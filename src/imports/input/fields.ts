import { usageFailure } from "../../core/errors.ts";
import { parseInt64 } from "../../core/int64.ts";
import {
  asPetStatus,
  brokenRule,
  isEmptyName,
  type NewPetField,
  newPetFieldList,
  newPetFieldNames,
} from "../../core/pet-fields.ts";
import { truncate } from "../../core/strings.ts";

/** What results add to the fields of a row, in their order. On the way in they are ignored: the service assigns ids. */
export const resultFields = ["outcome", "id", "error"] as const;

const ignoredFields: readonly string[] = resultFields;

const fields: ReadonlySet<string> = new Set([...newPetFieldNames, ...ignoredFields]);

/** Returns whether a row may have a field of this name. */
export const isKnownField = (name: string): boolean => fields.has(name);

const fieldsByColumn: ReadonlyMap<string, NewPetField> = new Map([
  ...newPetFieldNames.map((field) => [field.toLowerCase(), field] as const),
  ...newPetFieldList.flatMap(({ field, column }) => (column ? [[column, field] as const] : [])),
]);

/** Returns a column's name for comparison: trimmed and in lower case. */
export const normalize = (column: string): string => column.trim().toLowerCase();

/** Returns the field that a column has by its own name, if any. */
export const fieldOfColumn = (column: string): NewPetField | undefined =>
  fieldsByColumn.get(normalize(column));

/** Returns whether a column is one of `resultFields`. */
export const isIgnoredColumn = (column: string): boolean =>
  ignoredFields.some((field) => normalize(field) === normalize(column));

/** Flags that would help, each with its value. */
export type Flags = readonly (readonly string[])[];

/** The flags that give a field to rows that have none. */
export const defaultFlags: Readonly<Record<NewPetField, Flags>> = {
  name: [["--name", "NAME"]],
  categoryId: [["--category", "ID"]],
  status: [],
};

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
    "for example --map Animal=name",
  );
}

/** What `--value` makes of texts, by field and normalized text (`status:gone`); `*` is any that is not named. */
export type ValueMap = ReadonlyMap<string, unknown>;

/** Returns the map of values like `FIELD:TEXT=VALUE`. Throws a usage Failure. */
export function parseValueMap(values: readonly string[]): ValueMap {
  const map = new Map<string, unknown>();
  for (const value of values) {
    const { field, text, typed } = parseValue(value);
    const key = `${field}:${normalize(text)}`;
    if (map.has(key) && map.get(key) !== typed)
      throw usageFailure(`--value gives ${quote(text)} two values for ${field}`);
    map.set(key, typed);
  }
  return map;
}

function parseValue(value: string) {
  const colon = value.indexOf(":");
  const end = value.lastIndexOf("=");
  const field = fieldOfColumn(value.slice(0, Math.max(0, colon)));
  if (field === undefined || end < colon)
    throw usageFailure(
      `--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD, not ${quote(value)}`,
      "for example --value category:Dog=1",
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

/** Returns the value that replaces a text; undefined if there is none. A blank text must be named itself. */
export function translate(map: ValueMap | undefined, field: NewPetField, text: string): unknown {
  const key = normalize(text);
  return map?.get(`${field}:${key}`) ?? (key === "" ? undefined : map?.get(`${field}:*`));
}
