import { isRecord } from "../../../core/json/parse.ts";
import { newPetFieldNames } from "../../../core/pet-fields.ts";
import type { TableRecord, TextFault } from "../../types.ts";
import { normalize, quote, show } from "../columns.ts";
import { cellOf, ownKey } from "../row.ts";
import type { InputText } from "../text.ts";
import { ifJson, JsonFault, JsonText } from "./json-text.ts";

/** A value of a text, with its line, or what is wrong with it. */
export type JsonValue = ReturnType<JsonText["read"]>;

/** Yields the rows that a text has at `items`, or else its elements, its members, or its values. Throws a JsonFault. */
export function* valuesOf(text: Iterable<string>, items: string | undefined): Generator<JsonValue> {
  const json = new JsonText(text);
  if (json.peek() === "") throw new JsonFault({ message: "is empty", fatal: "file" });
  if (items !== undefined) {
    if (!(yield* itemsIn(json, items)))
      throw new JsonFault({ message: `has no array ${quote(items)}`, fatal: "file" });
    json.expect("");
  } else if (json.peek() === "[" || isObjectOfAnimals(json)) {
    yield* rowsIn(json);
    json.expect("");
  } else while (json.peek() !== "") yield json.read();
}

/** How many keys and places a path may have. */
export const maxDepth = 100;

/** Returns the path of what is at a key or a place, as `--items` takes it. */
export const pathOf = (outer: string | undefined, key: string): string =>
  outer === undefined ? key : `${outer}.${key}`;

/** Moves over a value. Yields the rows of the first array or object of rows at `items`, and returns whether there is one. */
function* itemsIn(
  json: JsonText,
  items: string,
  path?: string,
  depth = 0,
): Generator<JsonValue, boolean> {
  if (path === items && (json.peek() === "[" || isObjectOfRows(json))) {
    yield* rowsIn(json);
    return true;
  }
  let isFound = false;
  const isAround = path === undefined || items.startsWith(`${path}.`);
  if (!isAround || depth === maxDepth || !json.isAtBracket()) json.read();
  else
    for (const key of json.keys())
      if (isFound) json.read();
      else isFound = yield* itemsIn(json, items, pathOf(path, key), depth + 1);
  return isFound;
}

/** Moves over an array or an object and yields what is in it; a member of an object gets its key as `#key`. */
function* rowsIn(json: JsonText): Generator<JsonValue> {
  const isArray = json.peek() === "[";
  for (const key of json.keys()) yield isArray ? json.read() : withKey(json.read(), key);
}

function withKey(row: JsonValue, key: string): JsonValue {
  const { text = "", value } = row;
  if (!text.startsWith("{") || !isRecord(value) || Object.hasOwn(value, ownKey)) return row;
  const comma = Object.keys(value).length > 0 ? "," : "";
  const keyed = `{"${ownKey}":${JSON.stringify(key)}${comma}${text.slice(1)}`;
  return { ...row, text: keyed, value: { [ownKey]: key, ...value } };
}

/** Returns whether an object comes next whose first two values are objects with the same keys; stays before it. */
export function isObjectOfRows(json: JsonText): boolean {
  if (json.peek() !== "{") return false;
  const ahead = json.ahead();
  const shapes = ahead.keys().map(() => shapeOf(ahead));
  const [first, second] = ifJson(() => shapes.take(2).toArray()) ?? [];
  if (first === undefined || second === undefined || first.size === 0) return false;
  return first.size === second.size && [...first].every((key) => second.has(key));
}

/** Moves over a value, and returns its keys; none if it is no object. */
function shapeOf(json: JsonText): ReadonlySet<string> {
  const keys = new Set<string>();
  if (json.peek() !== "{") json.skip();
  else
    for (const key of json.keys()) {
      keys.add(key);
      json.skip();
    }
  return keys;
}

const animalKeys: ReadonlySet<string> = new Set(
  [...newPetFieldNames, "category", "id"].map((name) => normalize(name)),
);

/** Returns whether a single object of rows is all that comes next, and no animal itself, as far as its members are near. */
function isObjectOfAnimals(json: JsonText): boolean {
  if (!isObjectOfRows(json)) return false;
  const ahead = json.ahead();
  const isSo = ifJson(() => {
    for (const key of ahead.keys()) {
      if (animalKeys.has(normalize(key))) return false;
      ahead.skip();
    }
    return ahead.peek() === "";
  });
  return isSo ?? true;
}

/** Returns whether the rows of a text are a table: whether the first one is an array. */
export function isArrayTable(text: Iterable<string>, items?: string): boolean {
  const [first] = ifJson(() => valuesOf(text, items).take(1).toArray()) ?? [];
  return Array.isArray(first?.value) && !first.value.some(isRecord);
}

/** Yields the rows of a table in JSON, by their places from 1: their elements are cells. The last one may have a fatal fault. */
export function* arrayRows(input: InputText, items?: string): Generator<TableRecord> {
  let line = 0;
  try {
    for (const { value, fault, line: textLine } of valuesOf(input, items)) {
      line += 1;
      const place = { line, textLine, cells: [] };
      if (fault !== undefined) yield { ...place, fault };
      else if (Array.isArray(value)) yield { ...place, cells: value.map(cellOf) };
      else yield { ...place, fault: { message: `${notArray}, not ${show(value)}` } };
    }
    if (input.fault !== undefined) throw new JsonFault(input.fault);
  } catch (error) {
    yield { line: line + 1, cells: [], fault: fatalFault(error, input) };
  }
}

const notArray = "must be a JSON array, as the first is";

/** Returns why a text cannot be read further; throws any other error. */
export function fatalFault(error: unknown, input: InputText): TextFault {
  if (!(error instanceof JsonFault)) throw error;
  return { fatal: "content", ...error.fault, ...input.fault };
}
