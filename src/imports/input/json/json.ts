import { isRecord } from "../../../core/json/parse.ts";
import { newPetFieldNames } from "../../../core/pet-fields.ts";
import type { InputFormat, InputRecord, TableRecord, TextFault } from "../../types.ts";
import { excerpt, normalize, quote, type RowOptions, show } from "../columns.ts";
import { rowAt } from "../fault-words.ts";
import { cellOf, ownKey, parseValue, textOf, valueAt } from "../row.ts";
import { asJson } from "../suggest.ts";
import type { InputText } from "../text.ts";
import { ifJson, JsonFault, JsonText, parseJson } from "./json-text.ts";

/**
 * Yields the rows of NDJSON, one NewPet per line; or of JSON: of an array of NewPets or an object of them, of the one at
 * `options.items`, or of NewPets one after the other.
 */
export function* readJson(
  input: InputText,
  format: InputFormat,
  options: RowOptions,
): Generator<InputRecord> {
  const { keyPath, items } = options;
  let index = 0;
  const rows: Iterable<JsonRow> = format === "ndjson" ? linesOf(input) : rowsOf(input, items);
  for (const { text = "", line, textLine, value, fault } of rows) {
    const key = keyPath && textOf(valueAt(value, keyPath.name));
    const found = fault ?? parseValue(value, options);
    yield { read: rowAt(index, { line, textLine }, found, key), original: text };
    index += 1;
  }
}

/** Yields the rows of a table in JSON: their elements are cells. */
export function* arrayRows(input: InputText, items?: string): Generator<TableRecord> {
  for (const { line, textLine, value, fault } of rowsOf(input, items)) {
    if (fault === undefined && Array.isArray(value))
      yield { line, textLine, cells: value.map(cellOf) };
    else {
      const message = `must be a JSON array, as the first is, not ${show(value)}`;
      yield { line, textLine, cells: [], fault: fault ?? { message } };
    }
  }
}

/** A value of a text, with its line, or what is wrong with it. */
type JsonValue = ReturnType<JsonText["read"]>;

/** A row, whose line is in JSON its place, from 1, and `textLine` its line. */
type JsonRow = JsonValue & { readonly textLine?: number };

/** Yields the rows of JSON; the last one may have a fatal fault. */
function* rowsOf(input: InputText, items: string | undefined): Generator<JsonRow> {
  let line = 0;
  try {
    for (const value of valuesOf(input, items)) {
      line += 1;
      yield { ...value, line, textLine: value.line };
    }
    if (input.fault !== undefined) throw new JsonFault(input.fault);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const fault: TextFault = { fatal: "content", ...error.fault, ...input.fault };
    yield { line: line + 1, fault, text: undefined, value: undefined };
  }
}

/** Yields the lines that are not blank with their values. */
function* linesOf(input: InputText): Generator<JsonValue> {
  let isFirst = true;
  for (const { number: line, text } of input.lines()) {
    if (text?.trim() === "") continue;
    const { value, fault, reason } = parseJson(text);
    const wrong = input.fault ?? fault ?? notJson(text ?? "", reason, isFirst);
    yield { text, line, value, fault: wrong };
    isFirst = false;
  }
}

function notJson(
  line: string,
  reason: string | undefined,
  isFirst: boolean,
): TextFault | undefined {
  if (reason === undefined) return undefined;
  const text = line.trim();
  const cure = isFirst && /^[[{]/.test(text) ? [asJson] : [];
  if (text.startsWith("{")) return { message: `invalid JSON: ${reason}`, cure };
  return { message: `must be a JSON object on one line, not ${excerpt(text)}`, cure };
}

/** Yields the rows that a text has at `items`, or else its elements, its members, or its values. Throws a JsonFault. */
function* valuesOf(text: Iterable<string>, items: string | undefined): Generator<JsonValue> {
  const json = new JsonText(text);
  if (json.peek() === "") throw new JsonFault({ message: "is empty", fatal: "file" });
  if (items !== undefined) {
    if (!(yield* itemsIn(json, items)))
      throw new JsonFault({ message: `has no array ${quote(items)}`, fatal: "file" });
    json.expect("");
  } else if (isContainer(json)) {
    yield* rowsIn(json);
    json.expect("");
  } else while (json.peek() !== "") yield json.read();
}

/** Returns whether one value comes next whose elements or members are the rows. */
export const isContainer = (json: JsonText): boolean =>
  json.peek() === "[" || isObjectOfAnimals(json);

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
