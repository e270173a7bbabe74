import { isRecord } from "../../core/json/parse.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { newPetFieldNames } from "../../core/pet-fields.ts";
import type { Cells, TextFault } from "../types.ts";
import { normalize, quote, show } from "./columns.ts";
import { JsonFault, JsonText } from "./json-text.ts";
import { textOf } from "./row.ts";
import type { InputText } from "./text.ts";

/** A value of a text, with its line, or what is wrong with it; `isAlone`: no other follows. */
export interface JsonValue {
  readonly text: string | undefined;
  readonly line: number;
  readonly value?: unknown;
  readonly fault?: TextFault | undefined;
  readonly isAlone?: boolean;
}

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
  } else
    while (json.peek() !== "") {
      const value = json.read();
      yield { ...value, isAlone: json.peek() === "" };
    }
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
  if (!text.startsWith("{") || !isRecord(value) || Object.hasOwn(value, "#key")) return row;
  const comma = Object.keys(value).length > 0 ? "," : "";
  const keyed = `{"#key":${JSON.stringify(key)}${comma}${text.slice(1)}`;
  return { ...row, text: keyed, value: { "#key": key, ...value } };
}

/** Returns whether an object comes next whose first two values are objects with the same keys; stays before it. */
export function isObjectOfRows(json: JsonText): boolean {
  if (json.peek() !== "{") return false;
  let first: ReadonlySet<string> | undefined;
  for (const keys of shapesAhead(json, 2)) {
    if (keys.size === 0) return false;
    if (first !== undefined) return isSame(first, keys);
    first = keys;
  }
  return false;
}

/** Returns whether the elements of a text's array are objects with the same keys, as far as its first twenty say. */
export function isSameShape(text: Iterable<string>): boolean {
  const json = new JsonText(text);
  const [first, ...others] = json.peek() === "[" ? shapesAhead(json, 20) : [];
  return first !== undefined && first.size > 0 && others.every((keys) => isSame(first, keys));
}

const isSame = (some: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  some.size === others.size && [...some].every((key) => others.has(key));

/** Yields the keys of the first values in what comes next, none for one that is no object, as far as they are near. */
function* shapesAhead(json: JsonText, count: number): Generator<ReadonlySet<string>> {
  const ahead = json.ahead();
  try {
    yield* ahead
      .keys()
      .take(count)
      .map(() => shapeOf(ahead));
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
}

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
  try {
    for (const key of ahead.keys()) {
      if (animalKeys.has(normalize(key))) return false;
      ahead.skip();
    }
    return ahead.peek() === "";
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return true;
  }
}

/** Returns whether the rows of a text are a table: whether the first one is an array. */
export function isTable(text: Iterable<string>, items?: string): boolean {
  try {
    for (const { value } of valuesOf(text, items)) return Array.isArray(value);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  return false;
}

/** A row of a table in JSON, by its place from 1, or what is wrong with it. */
export interface ArrayRow {
  readonly line: number;
  /** The line of the file. */
  readonly textLine?: number | undefined;
  readonly cells: Cells;
  /** Which of the cells are null. */
  readonly isAbsent: readonly boolean[];
  readonly fault?: TextFault;
}

/** Yields the rows of a table in JSON: arrays, whose elements are cells. The last one may have a fatal fault. */
export function* arrayRows(input: InputText, items?: string): Generator<ArrayRow> {
  let line = 0;
  try {
    for (const row of valuesOf(input, items)) {
      line += 1;
      yield { line, textLine: row.line, ...cellsOf(row) };
    }
    if (input.fault !== undefined) throw new JsonFault(input.fault);
  } catch (error) {
    const fault = fatalFault(error, input);
    yield { line: line + 1, textLine: fault.textLine, cells: [], isAbsent: [], fault };
  }
}

/** Returns why a text cannot be read further; throws any other error. */
export function fatalFault(error: unknown, input: InputText): TextFault {
  if (!(error instanceof JsonFault)) throw error;
  return { fatal: "content", ...error.fault, ...input.fault };
}

function cellsOf({ value, fault }: JsonValue) {
  if (fault === undefined && Array.isArray(value)) {
    const cells = value.map((each: unknown) => textOf(each) ?? stringifyExact(each));
    return { cells, isAbsent: value.map((each) => each === null) };
  }
  const message = `must be a JSON array, as the first is, not ${show(value)}`;
  return { cells: [], isAbsent: [], fault: fault ?? { message } };
}
