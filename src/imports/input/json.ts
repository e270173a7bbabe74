import { usageFailure } from "../../core/errors.ts";
import type { NewPetField } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { Fault, InputRecord, TextFault } from "../types.ts";
import { excerpt, quote, type RowOptions } from "./columns.ts";
import { JsonFault, JsonText, parseJson } from "./json-text.ts";
import { parseValue, rowTooLong, textOf, valueAt } from "./row.ts";
import { asJson, namedBy, rowAt } from "./suggest.ts";
import type { InputText } from "./text.ts";

/**
 * Yields the rows of NDJSON, one NewPet per line; or of JSON: of an array of NewPets, of the one at `options.items`, or of
 * NewPets one after the other. The line of a row of JSON is its place, from 1.
 */
export function* readJson(
  input: InputText,
  format: "ndjson" | "json",
  options: RowOptions,
): Generator<InputRecord> {
  const { columnMap, keyPath } = options;
  const isLines = format === "ndjson";
  let index = 0;
  try {
    for (const each of isLines ? linesOf(input) : valuesOf(input, options.items)) {
      const { text = "", line, value, fault, isAlone } = each;
      const found = fault ?? parseValue(value, options);
      const wrapper = index === 0 ? wrapperFault(found, options.wrapped, isAlone) : undefined;
      const cure = wrapper && [...(isLines ? [asJson] : []), ["--items", options.wrapped ?? ""]];
      const place = { line: isLines ? line : index + 1 };
      const key = keyPath && textOf(valueAt(value, keyPath.name));
      const read = rowAt(index, place, cure ? { ...wrapper, cure } : found, key);
      yield { read: isLines || "pet" in read ? read : { textLine: line, ...read }, original: text };
      index += 1;
    }
    if (input.fault !== undefined && !isLines) throw new JsonFault(input.fault);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const fault = { fatal: "content", ...error.fault, ...input.fault } as const;
    yield { read: rowAt(index, { line: index + 1 }, fault), original: "" };
    return;
  }
  const absent = [...columnMap.values(), ...(keyPath ? [keyPath] : [])].filter(
    (path) => !path.isFound,
  );
  if (index > 0 && absent.length > 0)
    throw usageFailure(`${namedBy(absent)}, but no row has it; nothing was sent`);
}

/** Returns the fault of an object that is no animal, but has an array of them at `place`; `isAlone`: no other follows. */
function wrapperFault(read: NewPet | Fault, place: string | undefined, isAlone = false) {
  const isWanted = (field: NewPetField): boolean => field === "name" || isAlone;
  const isAnimal = read !== rowTooLong && !("wrong" in read && read.missing.some(isWanted));
  if (place === undefined || isAnimal) return undefined;
  const what = `an object with an array ${quote(place)}`;
  return { message: `must be a JSON array of animals, not ${what}`, fatal: "file" as const };
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

/** A value of a text, with its line, or what is wrong with it; `isAlone`: no other follows. */
interface JsonValue {
  readonly text: string | undefined;
  readonly line: number;
  readonly value?: unknown;
  readonly fault?: TextFault | undefined;
  readonly isAlone?: boolean;
}

/** Yields the elements of the array that a text is, or has at `items`, or else its values. Throws a JsonFault. */
function* valuesOf(input: InputText, items: string | undefined): Generator<JsonValue> {
  const json = new JsonText(input);
  if (json.peek() === "") throw new JsonFault({ message: "is empty", fatal: "file" });
  if (items !== undefined) {
    if (!json.take("{") || !(yield* elementsIn(json, (place) => place === items, [])))
      throw new JsonFault({ message: `has no array ${quote(items)}`, fatal: "file" });
    json.expect("");
  } else if (json.take("[")) {
    yield* json.elements();
    json.expect("");
  } else
    while (json.peek() !== "") {
      const value = json.read();
      yield { ...value, isAlone: json.peek() === "" };
    }
}

/** Returns the path of the first array of objects in the object that a text begins with, if there is one. */
export function findArray(text: Iterable<string>): string | undefined {
  const json = new JsonText(text);
  let found: string | undefined;
  const isArray = (place: string): boolean => {
    const isFound = json.peek() === "{";
    if (isFound) found = place;
    return isFound;
  };
  try {
    if (json.take("{")) elementsIn(json, isArray, []).next();
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  return found;
}

const maxDepth = 100;

/**
 * Moves from behind the bracket of an object to its end. Yields the elements of the array at the place that is wanted, and
 * returns whether there is one. Throws a JsonFault.
 */
function* elementsIn(
  json: JsonText,
  isWanted: (place: string) => boolean,
  keys: readonly string[],
): Generator<JsonValue, boolean> {
  let isFound = false;
  if (json.take("}")) return isFound;
  do {
    const path = [...keys, json.readKey()];
    if (isFound) json.read();
    else if (path.length < maxDepth && json.take("{"))
      isFound = yield* elementsIn(json, isWanted, path);
    else if (!json.take("[")) json.read();
    else {
      isFound = isWanted(path.join("."));
      for (const element of json.elements()) if (isFound) yield element;
    }
  } while (json.take(","));
  json.expect("}");
  return isFound;
}
