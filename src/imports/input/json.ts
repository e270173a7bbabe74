import { usageFailure } from "../../core/errors.ts";
import type { NewPetField } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { Fault, InputRecord, TextFault } from "../types.ts";
import { excerpt, quote, type RowOptions } from "./columns.ts";
import { fatalFault, type JsonValue, maxDepth, valuesOf } from "./json-rows.ts";
import { JsonFault, JsonText, parseJson } from "./json-text.ts";
import { parseValue, rowTooLong, textOf, valueAt } from "./row.ts";
import { asJson, namedBy, rowAt } from "./suggest.ts";
import type { InputText } from "./text.ts";

/**
 * Yields the rows of NDJSON, one NewPet per line; or of JSON: of an array of NewPets or an object of them, of the one at
 * `options.items`, or of NewPets one after the other. The line of a row of JSON is its place, from 1.
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
    yield { read: rowAt(index, { line: index + 1 }, fatalFault(error, input)), original: "" };
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

/** Returns the path of the first array of objects in the object that a text begins with, if there is one. */
export function findArray(text: Iterable<string>): string | undefined {
  const json = new JsonText(text);
  try {
    return json.peek() === "{" ? arrayIn(json, []) : undefined;
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
  }
  return undefined;
}

function arrayIn(json: JsonText, path: readonly string[]): string | undefined {
  const isArray = json.peek() === "[";
  if (path.length === maxDepth || !json.isAtBracket()) json.skip();
  else
    for (const key of json.keys()) {
      if (isArray && key === "0" && json.peek() === "{") return path.join(".");
      const found = isArray ? json.skip() : arrayIn(json, [...path, key]);
      if (found !== undefined) return found;
    }
  return undefined;
}
