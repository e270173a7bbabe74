import { usageFailure } from "../../core/errors.ts";
import { parseInt64, toInt64 } from "../../core/int64.ts";
import { isRecord, OtherNumber } from "../../core/json/parse.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import {
  asPetStatus,
  isEmptyName,
  newPetFieldNames,
  type NewPetField,
  problemInField,
} from "../../core/pet-fields.ts";
import type { NewPet, WithOnly } from "../../core/pet.ts";
import type { Path, RowFacts, TextFault } from "../types.ts";
import {
  columnKey,
  excerpt,
  faultOfResults,
  type FieldValues,
  fieldOfColumn,
  isIgnoredColumn,
  normalize,
  quote,
  type RowOptions,
  show,
} from "./columns.ts";

export const maxRowBytes = 1024 * 1024;
export const rowTooLong: TextFault = { message: "row longer than 1 MiB" };

/** The fields of a row, with values as `parseExact` returns them. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns the animal that a value of `parseExact` describes, or what is wrong with it. Reads texts as cells. */
export function parseValue(value: unknown, options: RowOptions): NewPet | TextFault | RowFacts {
  if (!isRecord(value)) return { message: `must be a JSON object, not ${show(value)}` };
  const { columnMap, keyPath } = options;
  const wrong = isResultsRow(value) ? faultOfResults(options, Object.keys(value)) : undefined;
  if (wrong !== undefined) return wrong;
  const fields: Record<string, unknown> = {};
  const passed: string[] = [];
  for (const path of columnMap.values()) fields[path.field] = take(value, path, passed);
  if (keyPath !== undefined) take(value, keyPath, passed);
  const mapped = Object.keys(fields);
  const others: string[] = [];
  for (const key of Object.keys(value)) {
    const own = value[key];
    const field = fieldOfColumn(key);
    if (own === null || passed.includes(key)) continue;
    if (field !== undefined && (textOf(own) !== undefined || !isRecord(own))) {
      if (mapped.includes(field)) continue;
      if (Object.hasOwn(fields, field))
        return {
          message: `has more than one key for ${field}: ${keysFor(value, field).join(", ")}`,
        };
      fields[field] = own;
    } else if (key !== ownKey && !isIgnoredColumn(key)) others.push(key);
  }
  for (const field of newPetFieldNames) {
    const own = fields[field];
    if (typeof own === "string") fields[field] = parseCell(field, own);
    else if (own === null) delete fields[field];
  }
  // The keys of an object of rows may be the names.
  const isNameless = fields.name === undefined && !options.defaults?.name;
  if (isNameless && Object.hasOwn(value, ownKey)) others.push(ownKey);
  const unknown = options.ignoreFields || others.length === 0 ? none : pathsOf(value, others);
  const found = parseRow(fields, options, unknown);
  if ("wrong" in found && isColumnar(value)) return columnar;
  return stillWrong(found, value.outcome, memberOf(value.error, "message"));
}

const keysFor = (value: Fields, field: NewPetField): readonly string[] =>
  Object.keys(value)
    .filter((key) => fieldOfColumn(key) === field)
    .map(excerpt);

const columnar: TextFault = {
  message: 'is written by columns, not by rows; with pandas, write it with orient="records"',
};

/** Returns whether all values of an object are lists, or numbered: the columns of a table. */
function isColumnar(value: Fields): boolean {
  const members = Object.values(value);
  return members.length > 1 && members.every(isList);
}

function isList(value: unknown): boolean {
  if (Array.isArray(value)) return !value.some((each) => textOf(each) === undefined);
  return isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key));
}

/**
 * Returns what is wrong with a row of results that was invalid for its form, such as a total or one whose quotes could not be
 * read: as results write it, it may be valid. It is taken once its outcome or its error is cleared.
 */
export function stillWrong(
  found: NewPet | TextFault | RowFacts,
  outcome: unknown,
  error: unknown,
): typeof found {
  const text = textOf(error) ?? "";
  const isSame = outcome === "invalid" && ofForm.test(text);
  if (!isSame || "message" in found || "wrong" in found) return found;
  return { message: `was invalid: ${excerpt(text)}; clear its outcome once it is correct` };
}

/** What the errors say that are not about values, which are still there. */
const ofForm =
  /^(?:looks like a heading|value in column|the whole line|text after|quote never|name must be a string)/;

/** Returns whether an object is a row of results: it has an outcome of theirs, and at most their other keys behind it. */
export const isResultsRow = (value: unknown): boolean =>
  isRecord(value) &&
  /^(?:added|rejected|(?:un)?known|changed|not_sent|repeated|(?:in)?valid)$/.test(
    textOf(value.outcome) ?? "",
  ) &&
  /(?:^|,)outcome(?:,id)?(?:,error)?$/.test(Object.keys(value).join());

/** The path of the key by which an object of objects has a row. */
export const ownKey = "#key";

/** Returns the value at a path, and adds the key that it begins with to those that are passed. */
function take(value: Fields, path: Path, passed: string[]): unknown {
  const [first = ""] = path.name.split(".");
  passed.push(keyIn(value, path.name) ?? keyIn(value, first) ?? first);
  const found = valueAt(value, path.name);
  path.isFound ||= found !== undefined;
  return found;
}

/** Returns the key of an object that is meant, without regard to case and blanks. */
function keyIn(value: unknown, key: string): string | undefined {
  if (!isRecord(value)) return undefined;
  if (Object.hasOwn(value, key)) return key;
  const wanted = columnKey(key);
  return Object.keys(value).find((each) => columnKey(each) === wanted);
}

function memberOf(value: unknown, key: string): unknown {
  const own = keyIn(value, key);
  return isRecord(value) && own !== undefined ? value[own] : undefined;
}

/** Returns what a value of `parseExact` has at a path, if anything: at one key with its dots, or at one for each part. */
export const valueAt = (value: unknown, path: string): unknown =>
  (keyIn(value, path) === undefined ? path.split(".") : [path]).reduce(memberOf, value);

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
  const word = text.trim();
  if (word === "") return undefined;
  const value = field === "status" ? asPetStatus(word.toLowerCase()) : parseInt64(word);
  return value ?? text;
}

/** Returns whether a text is a value of a field as it is. */
export const isValid = (field: NewPetField, text: string): boolean =>
  readField[field](parseCell(field, text)) !== undefined;

/** Adds values like `FIELD:TEXT=VALUE` to what is made of texts. Throws a usage Failure. */
export function addValues(
  map: Map<NewPetField, FieldValues>,
  values: readonly string[],
): typeof map {
  for (const value of values) {
    const [, name = "", word = "", written = ""] = /^([^:]*):(.*)=([^=]*)$/s.exec(value) ?? [];
    const field = fieldOfColumn(name);
    if (field === undefined)
      throw usageFailure(
        `--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD, not ${quote(value)}`,
        "For example: `--value category:Dog=1`.",
      );
    const typed = readField[field](parseCell(field, written));
    const isNone = field === "status" && written === "";
    const isRight = isNone || (typed !== undefined && field !== "name");
    const problem = isRight ? undefined : problemInField(field, field, written);
    if (problem !== undefined) throw usageFailure(`--value ${quote(value)}: ${problem}`);
    const text = normalize(word);
    const known: FieldValues = map.get(field) ?? { texts: new Map(), starts: [] };
    if (known.texts.has(text) && known.texts.get(text) !== typed)
      throw usageFailure(`--value gives ${quote(word)} two values for ${field}`);
    if (text.length > 1 && text.endsWith("*") && !known.texts.has(text)) {
      known.starts.push([text.slice(0, -1), typed]);
      known.starts.sort(([one], [other]) => other.length - one.length);
    }
    known.texts.set(text, typed);
    map.set(field, known);
  }
  return map;
}

/** Returns the animal of these fields, or all that is wrong with it (`help import`); `unknown` is what else it has. */
export function parseRow(
  given: Fields,
  options: RowOptions,
  unknown = none,
): WithOnly<NewPet, "name" | "categoryId" | "status"> | RowFacts {
  const fields = completed(given, options);
  const name = readField.name(fields.name);
  const categoryId = readField.categoryId(fields.categoryId);
  const status = readField.status(fields.status);
  const isWrongStatus = status === undefined && fields.status !== undefined;
  if (name !== undefined && categoryId !== undefined && !isWrongStatus && unknown.size === 0)
    return status === undefined ? { name, categoryId } : { name, categoryId, status };
  const missing = newPetFieldNames.filter((field) => fields[field] === undefined);
  const wrong = newPetFieldNames.filter(
    (field) => !missing.includes(field) && readField[field](fields[field]) === undefined,
  );
  return { unknown, missing, wrong: new Map(wrong.map((field) => [field, fields[field]])), name };
}

const none: RowFacts["unknown"] = new Map();

/** Returns the fields with what `--value` and the defaults make of them. */
function completed(fields: Fields, { valueMap, defaults }: RowOptions): Fields {
  if (valueMap.size === 0 && defaults === undefined) return fields;
  const complete: Record<string, unknown> = { ...fields };
  for (const field of newPetFieldNames) {
    const value = translated(field, fields[field], valueMap.get(field));
    complete[field] = textOf(value)?.trim() === "" ? (defaults?.[field] ?? value) : value;
  }
  return complete;
}

/** Returns what `--value` makes of a value. A blank text must be named itself. */
function translated(field: NewPetField, value: unknown, values: FieldValues | undefined) {
  const text = textOf(value);
  if (text === undefined || values === undefined) return value;
  const named = namedIn(values, text);
  if (named !== undefined) return named[1];
  const isOther = text.trim() !== "" && readField[field](value) === undefined;
  return isOther && values.texts.has(anyOther) ? values.texts.get(anyOther) : value;
}

/** What `--value` calls all texts that it does not name. */
export const anyOther = "*";

/** Returns what is named that a text is, or begins with, and its value; undefined if nothing is. */
export function namedIn(
  values: FieldValues | undefined,
  text: string,
): readonly [string, unknown] | undefined {
  const word = normalize(text);
  if (word !== anyOther && values?.texts.has(word)) return [word, values.texts.get(word)];
  return values?.starts.find(([start]) => word.startsWith(start));
}

/** Returns a value as text: "" for none, undefined for an object or an array. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  if (value instanceof OtherNumber) return value.source;
  const isScalar = typeof value === "boolean" || typeof value === "number";
  if (isScalar || typeof value === "bigint") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** Returns a value as the text of a cell, with numbers as they are written. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : stringifyExact(value);
}

const maxPaths = 50;
const maxPathDepth = 5;

/** Returns the values at the paths of these keys, into objects, as `--map` takes them. */
function pathsOf(value: Fields, keys: readonly string[]): RowFacts["unknown"] {
  const found = new Map<string, unknown>();
  const look = (member: unknown, path: string, depth: number): void => {
    const inner = isRecord(member) ? Object.entries(member) : [];
    if (inner.length === 0 || depth === maxPathDepth) found.set(path, member);
    else
      for (const [key, each] of inner)
        if (found.size < maxPaths) look(each, `${path}.${key}`, depth + 1);
  };
  for (const key of keys) if (found.size < maxPaths) look(value[key], key, 1);
  return found;
}
