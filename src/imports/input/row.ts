import { usageFailure } from "../../core/errors.ts";
import { parseInt64, toInt64 } from "../../core/int64.ts";
import { isRecord, OtherNumber } from "../../core/json/parse.ts";
import {
  asPetStatus,
  brokenRule,
  isEmptyName,
  newPetFieldNames,
  type NewPetField,
} from "../../core/pet-fields.ts";
import type { NewPet, WithOnly } from "../../core/pet.ts";
import { isPlaceholder } from "../../core/strings.ts";
import type { Path, RowFacts, TextFault } from "../types.ts";
import { fieldOfColumn, knownFields, normalize, quote, type RowOptions, show } from "./columns.ts";

export const maxRowBytes = 1024 * 1024;
export const rowTooLong: TextFault = { message: "row longer than 1 MiB" };

/** The fields of a row, with values as `parseExact` returns them. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns the animal that a value of `parseExact` describes, or what is wrong with it. Reads texts as cells. */
export function parseValue(value: unknown, options: RowOptions): NewPet | TextFault | RowFacts {
  if (!isRecord(value) || value instanceof OtherNumber)
    return { message: `must be a JSON object, not ${show(value)}` };
  const fields: Record<string, unknown> = { ...value };
  const { columnMap, keyPath } = options;
  for (const mapping of columnMap.values()) fields[mapping.field] = take(fields, value, mapping);
  if (keyPath !== undefined) take(fields, value, keyPath);
  for (const field of newPetFieldNames) {
    const own = fields[field];
    if (typeof own === "string") fields[field] = parseCell(field, own);
    else if (own === null) delete fields[field];
  }
  return parseRow(fields, options);
}

/** Returns the value at a path, and removes from `fields` what the path begins with. */
function take(fields: Record<string, unknown>, value: Fields, path: Path): unknown {
  const [key = ""] = keysOf(value, path.name);
  if (!knownFields.has(key)) delete fields[key];
  const found = valueAt(value, path.name);
  path.isFound ||= found !== undefined;
  return found;
}

const keysOf = (value: unknown, path: string): readonly string[] =>
  isRecord(value) && Object.hasOwn(value, path) ? [path] : path.split(".");

/** Returns what a value of `parseExact` has at a path, if anything. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const key of keysOf(value, path))
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found;
}

const readField: {
  readonly [Field in NewPetField]: (value: unknown) => Required<NewPet>[Field] | undefined;
} = {
  name: (value) => (typeof value === "string" && !isEmptyName(value) ? value : undefined),
  categoryId: toInt64,
  status: asPetStatus,
};

/** Returns a text without the spaces and tabs around it. */
export function trimBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (isBlankAt(text, start)) start += 1;
  while (end > start && isBlankAt(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

/** Returns whether there is a space or a tab at a place of a text. */
export const isBlankAt = (text: string, at: number): boolean =>
  text[at] === " " || text[at] === "\t";

/** Returns what a text says about a field: undefined for none, the text itself if it is not valid. */
export function parseCell(field: NewPetField, text: string): unknown {
  if (field === "name") return text;
  const word = trimBlanks(text);
  if (word === "") return undefined;
  const value = field === "status" ? asPetStatus(word.toLowerCase()) : parseInt64(word);
  return value ?? text;
}

/** Returns the map of values like `FIELD:TEXT=VALUE`; undefined is none. Throws a usage Failure. */
export function parseValueMap(values: readonly string[]): ReadonlyMap<string, unknown> {
  const map = new Map<string, unknown>();
  for (const value of values) {
    const colon = value.indexOf(":");
    const end = value.lastIndexOf("=");
    const field = fieldOfColumn(value.slice(0, Math.max(0, colon)));
    if (field === undefined || end < colon)
      throw usageFailure(
        `--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD, not ${quote(value)}`,
        "For example: `--value category:Dog=1`.",
      );
    const written = value.slice(end + 1);
    const typed = readField[field](parseCell(field, written));
    const isNone = field === "status" && written === "";
    if (isPlaceholder(written) || (typed === undefined && !isNone))
      throw usageFailure(
        `--value ${quote(value)}: ${field} ${brokenRule(field, written)}, not ${quote(written)}`,
      );
    const text = value.slice(colon + 1, end);
    const key = `${field}:${normalize(text)}`;
    if (map.has(key) && map.get(key) !== typed)
      throw usageFailure(`--value gives ${quote(text)} two values for ${field}`);
    map.set(key, typed);
  }
  return map;
}

/** Returns the animal of these fields, or all that is wrong with it (`help import`). */
export function parseRow(given: Fields, options: RowOptions): NewPet | RowFacts {
  const names = options.ignoreFields ? [] : Object.keys(given);
  const isKnown = names.every((field) => knownFields.has(field));
  const fields = completed(given, options);
  const pet = isKnown ? petOf(fields) : undefined;
  return pet ?? factsOf(isKnown ? [] : unknownIn(given), fields);
}

function petOf(fields: Fields): WithOnly<NewPet, "name" | "categoryId" | "status"> | undefined {
  const name = readField.name(fields.name);
  const categoryId = readField.categoryId(fields.categoryId);
  const status = readField.status(fields.status);
  if (name === undefined || categoryId === undefined) return undefined;
  if (status !== undefined) return { name, categoryId, status };
  return fields.status === undefined ? { name, categoryId } : undefined;
}

/** Returns the fields with what `--value` and the defaults make of them. */
function completed(fields: Fields, { valueMap, defaults }: RowOptions): Fields {
  if (valueMap.size === 0 && defaults === undefined) return fields;
  const complete: Record<string, unknown> = { ...fields };
  for (const field of newPetFieldNames) {
    const value = translated(field, fields[field], valueMap);
    complete[field] = textOf(value)?.trim() === "" ? (defaults?.[field] ?? value) : value;
  }
  return complete;
}

/** Returns what `--value` makes of a value. A blank text must be named itself. */
function translated(field: NewPetField, value: unknown, map: RowOptions["valueMap"]) {
  const text = textOf(value);
  if (text === undefined) return value;
  const [key, other] = [`${field}:${normalize(text)}`, `${field}:*`];
  if (map.has(key)) return map.get(key);
  const isOther = text.trim() !== "" && readField[field](value) === undefined;
  return isOther && map.has(other) ? map.get(other) : value;
}

/** Returns a value as text: "" for none, undefined for an object or an array. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  if (value instanceof OtherNumber) return value.source;
  const isScalar = typeof value === "boolean" || typeof value === "number";
  if (isScalar || typeof value === "bigint") return String(value);
  return typeof value === "string" ? value : undefined;
}

const maxPaths = 50;
const maxPathDepth = 5;

/** Returns the paths of the values that no animal has, into objects, as `--map` takes them. */
function unknownIn(fields: Fields): readonly string[] {
  const found: string[] = [];
  const look = (value: unknown, path: string, depth: number): void => {
    const inner = isRecord(value) && !(value instanceof OtherNumber) ? Object.entries(value) : [];
    if (inner.length === 0 || depth === maxPathDepth) found.push(path);
    else
      for (const [key, member] of inner)
        if (found.length < maxPaths) look(member, `${path}.${key}`, depth + 1);
  };
  for (const [key, value] of Object.entries(fields))
    if (!knownFields.has(key) && found.length < maxPaths) look(value, key, 1);
  return found;
}

function factsOf(unknown: readonly string[], fields: Fields): RowFacts {
  const missing = newPetFieldNames.filter((field) => fields[field] === undefined);
  const wrong = newPetFieldNames.filter(
    (field) => !missing.includes(field) && readField[field](fields[field]) === undefined,
  );
  const name = readField.name(fields.name);
  return { unknown, missing, wrong: new Map(wrong.map((field) => [field, fields[field]])), name };
}
