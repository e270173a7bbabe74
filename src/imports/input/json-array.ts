import type { InputRecord, InvalidRow } from "../types.ts";
import { type ElementsFault, type JsonElement, JsonElements } from "./json-elements.ts";
import { quote } from "./fields.ts";
import { jsonFaultAt } from "./json-fault.ts";
import { readJsonRow } from "./json-row.ts";
import { type RowOptions, rowTooLong } from "./row.ts";
import type { InputText } from "./text.ts";

/**
 * Yields the records of a JSON array of NewPets, or of the one at `options.items`; the line of each is its
 * position in the array, from 1.
 */
export async function* readJson(
  text: InputText,
  options: RowOptions & { readonly items?: string | undefined },
): AsyncGenerator<Iterable<InputRecord>> {
  const elements = new JsonElements(options.items, text.firstLine);
  let index = 0;
  let isDone = false;
  const fail = (fault: Omit<InvalidRow, "line">, original = ""): InputRecord => {
    isDone = true;
    return {
      read: { textLine: elements.line, ...fault, line: index + 1, fatal: "content" },
      original,
    };
  };
  const recordOf = (element: JsonElement): InputRecord => {
    const { text: json, line: textLine } = element;
    const line = index + 1;
    if (json === undefined) {
      index += 1;
      return { read: { line, textLine, message: rowTooLong }, original: "" };
    }
    const read = readJsonRow(json, { index, line }, options);
    if (read === undefined) return fail(faultIn(json, element), json);
    index += 1;
    return { read: "pet" in read ? read : { ...read, textLine }, original: json.trim() };
  };
  const recordsOf = function* (found: Iterable<JsonElement>): Generator<InputRecord> {
    for (const element of found) {
      yield recordOf(element);
      if (isDone) return;
    }
    if (elements.fault !== undefined) yield fail(describe(elements.fault, options.items));
  };
  for await (const piece of text) {
    yield recordsOf(elements.push(piece));
    if (isDone) return;
  }
  if (text.fault !== undefined) yield [fail(text.fault)];
  else if (elements.isBlank)
    yield [fail({ message: "is empty: it must be a JSON array, such as []" })];
  else yield recordsOf(unfinished(elements));
}

function* unfinished(elements: JsonElements): Generator<JsonElement> {
  const element = elements.end();
  // A text that ends within an element is reported by its place, as are other faults in it.
  if (element?.text !== undefined) yield element;
}

/** Returns what is wrong with an element that is not JSON. */
function faultIn(json: string, element: JsonElement): Omit<InvalidRow, "line"> {
  const at = jsonFaultAt(json);
  const before = json.slice(0, at).split("\n");
  const inLine = before.at(-1)?.length ?? 0;
  const line = element.line + before.length - 1;
  const column = inLine + (before.length === 1 ? element.column : 1);
  return {
    ...describe({ reason: "syntax", line, column, char: json[at] }, undefined),
    textLine: line,
  };
}

function describe(fault: ElementsFault, items: string | undefined): Omit<InvalidRow, "line"> {
  const { reason, line, column, char, path = "" } = fault;
  if (reason === "isArray") return { message: "is a JSON array itself: leave out --items" };
  if (reason === "object")
    return {
      message: `must be a JSON array of animals, not an object with an array ${quote(path)}`,
      cure: ["--items", path],
    };
  if (reason === "notArray" && items !== undefined)
    return { message: `has no array ${quote(items)}, which --items names` };
  if (reason === "notArray")
    return {
      message: "must be a JSON array of animals; for one animal per line, use --format ndjson",
      cure: ["--format", "ndjson"],
    };
  const what = char === undefined ? "end of file" : quote(char);
  const where = `line ${line}, column ${column} of the file`;
  return {
    message: `is not valid JSON: unexpected ${what} (${where}); the rest of the file was not read`,
  };
}
