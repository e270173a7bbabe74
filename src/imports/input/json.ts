import { usageFailure } from "../../core/errors.ts";
import { isTooDeep, parseExact, tooDeep } from "../../core/json/parse.ts";
import type { NewPet } from "../../core/pet.ts";
import type { InputRecord, RowFault } from "../types.ts";
import { excerpt, quote } from "./fields.ts";
import { JsonFault, JsonText } from "./json-text.ts";
import { parseValue, rowAt, type RowOptions, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/** Yields the rows of NDJSON, one NewPet per line. Skips blank lines. */
export function* readNdjson(input: InputText, given: RowOptions): Generator<InputRecord> {
  const options = watched(given);
  let index = 0;
  for (const { number: line, text } of input.lines()) {
    if (text?.trim() === "") continue;
    const found = input.fault ?? parseJson(text, options) ?? notJson(text ?? "", index);
    yield { read: rowAt(index, line, found), original: text ?? "" };
    index += 1;
  }
  assertMapped(options, index);
}

/** Returns options that know which paths of `--map` no row has had. */
const watched = (options: RowOptions) => ({
  ...options,
  absent: new Set(options.columnMap?.values()),
});

/** Throws a usage Failure if none of the rows has a path of `--map`. */
function assertMapped({ absent }: ReturnType<typeof watched>, rows: number): void {
  if (absent.size === 0 || rows === 0) return;
  const names = [...absent].map(({ name }) => quote(name));
  throw usageFailure(`--map names ${names.join(", ")}, but no row has it; nothing was sent`);
}

function notJson(line: string, index: number): RowFault {
  const text = line.trim();
  const isJson = index === 0 && /^[[{]/.test(text);
  const message = `must be a JSON object on one line, not ${excerpt(text)}`;
  return { message, cure: isJson ? [["--format", "json"]] : [] };
}

/**
 * Yields the rows of a JSON array of NewPets, or of the one at `options.items` (`data.animals`). The line of each is its
 * place in the array, from 1.
 */
export function* readJsonArray(input: InputText, given: RowOptions): Generator<InputRecord> {
  const options = watched(given);
  const json = new JsonText(input);
  let index = 0;
  try {
    const around = enterArray(json, options.items);
    if (!json.take("]")) {
      do {
        yield elementAt(index, json.read(), options);
        index += 1;
      } while (json.take(","));
      json.read("items");
    }
    for (let open = around; open > 0; open -= 1) json.read("pairs");
    json.read("end");
    if (input.fault !== undefined) throw new JsonFault(input.fault);
    assertMapped(options, index);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const fault = { fatal: "content", ...error.fault, ...input.fault } as const;
    yield { read: { line: index + 1, ...fault }, original: "" };
  }
}

function elementAt(
  index: number,
  { text, line: textLine }: ReturnType<JsonText["read"]>,
  options: RowOptions,
): InputRecord {
  const found = parseJson(text, options) ?? { message: "is not valid JSON" };
  const read = rowAt(index, index + 1, found);
  return { read: "pet" in read ? read : { textLine, ...read }, original: text ?? "" };
}

/** Moves into the array to be read, and returns how many objects are around it. Throws a JsonFault if there is none. */
function enterArray(json: JsonText, items: string | undefined): number {
  if (json.peek() === "")
    throw new JsonFault({ message: "is empty: it must be a JSON array, such as []" });
  if (items === undefined && json.take("[")) return 0;
  const keys = json.take("{") ? findArray(json, items, []) : undefined;
  if (items === undefined || keys === undefined)
    throw new JsonFault(noArray(keys?.join("."), items));
  return keys.length;
}

/** Returns the fault of a text without the array at `items`, or without any but one at another place. */
function noArray(place: string | undefined, items: string | undefined): RowFault {
  if (items !== undefined) return { message: `has no array ${quote(items)}, which --items names` };
  if (place === undefined)
    return {
      message: "must be a JSON array of animals; for one animal per line, use --format ndjson",
      cure: [["--format", "ndjson"]],
    };
  return {
    message: `must be a JSON array of animals, not an object with an array ${quote(place)}`,
    cure: [["--items", place]],
  };
}

/** How deep the array may be in an object. */
const maxDepth = 100;

/** Moves from the start of an object into the array at `items`, or into any of objects; returns the keys on the way. */
function findArray(
  json: JsonText,
  items: string | undefined,
  keys: readonly string[],
): readonly string[] | undefined {
  if (json.take("}")) return undefined;
  do {
    const { text: key = '""' } = json.read("key");
    json.read("colon");
    const path = [...keys, String(JSON.parse(key))];
    if (path.length < maxDepth && json.take("{")) {
      const found = findArray(json, items, path);
      if (found !== undefined) return found;
    } else if (!json.take("[")) json.read();
    else if (path.join(".") === items || (items === undefined && json.peek() === "{")) return path;
    else json.read("firstItem");
  } while (json.take(","));
  json.read("pairs");
  return undefined;
}

/** Returns the animal of a JSON text, or what is wrong with it; undefined if it is not JSON. */
export function parseJson(
  json: string | undefined,
  options: RowOptions,
): NewPet | RowFault | undefined {
  if (json === undefined) return rowTooLong;
  if (isTooDeep(json)) return { message: tooDeep };
  let value: unknown;
  try {
    value = parseExact(json);
  } catch {
    return undefined;
  }
  return parseValue(value, options);
}
