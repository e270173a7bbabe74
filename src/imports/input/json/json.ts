import type { InputFormat, InputRecord, TextFault } from "../../types.ts";
import { excerpt, type RowOptions } from "../columns.ts";
import { faultRecord, rowAt } from "../fault-words.ts";
import { parseValue, textOf, valueAt } from "../row.ts";
import { asJson } from "../suggest.ts";
import type { InputText } from "../text.ts";
import { fatalFault, type JsonValue, valuesOf } from "./json-rows.ts";
import { JsonFault, parseJson } from "./json-text.ts";

/**
 * Yields the rows of NDJSON, one NewPet per line; or of JSON: of an array of NewPets or an object of them, of the one at
 * `options.items`, or of NewPets one after the other. The line of a row of JSON is its place, from 1.
 */
export function* readJson(
  input: InputText,
  format: InputFormat,
  options: RowOptions,
): Generator<InputRecord> {
  const { keyPath } = options;
  const isLines = format === "ndjson";
  let index = 0;
  try {
    for (const each of isLines ? linesOf(input) : valuesOf(input, options.items)) {
      const { text = "", line, value, fault } = each;
      const place = { line: isLines ? line : index + 1 };
      const key = keyPath && textOf(valueAt(value, keyPath.name));
      const read = rowAt(index, place, fault ?? parseValue(value, options), key);
      yield { read: isLines || "pet" in read ? read : { textLine: line, ...read }, original: text };
      index += 1;
    }
    if (input.fault !== undefined && !isLines) throw new JsonFault(input.fault);
  } catch (error) {
    yield faultRecord({ line: index + 1 }, fatalFault(error, input));
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
