import { petStatuses } from "../../core/enums.ts";
import { usageFailure } from "../../core/errors.ts";
import { parseInt64, toInt64 } from "../../core/int64.ts";
import { isRecord, OtherNumber } from "../../core/json/parse.ts";
import {
  asPetStatus,
  brokenRule,
  isEmptyName,
  newPetFieldNames,
  type NewPetField,
  requiredPetFields,
} from "../../core/pet-fields.ts";
import type { NewPet, WithOnly } from "../../core/pet.ts";
import { closeMatch } from "../../core/strings.ts";
import type { Flags, ReadRow, RowFault } from "../types.ts";
import {
  defaultFlags,
  excerpt,
  fieldOfColumn,
  guessByName,
  ignoringOthers,
  knownFields,
  type Mapping,
  normalize,
  quote,
  type RowOptions,
} from "./columns.ts";

export const maxRowBytes = 1024 * 1024;
export const rowTooLong: RowFault = { message: "row longer than 1 MiB" };

export const asJson = ["--format", "json"];

/** Returns the row of this number (from 0), which begins in `line`. */
export function rowAt(index: number, line: number, found: NewPet | RowFault): ReadRow {
  return "message" in found ? { line, ...found } : { index, line, pet: found };
}

/** The fields of a row, with values as `parseExact` returns them. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns the animal that a value of `parseExact` describes, or what is wrong with it. */
export function parseValue(value: unknown, options: RowOptions): NewPet | RowFault {
  if (!isRecord(value) || value instanceof OtherNumber)
    return { message: `must be a JSON object, not ${show(value)}` };
  const { columnMap } = options;
  if (!columnMap?.size) return parseRow(value, options);
  const fields = { ...value };
  for (const mapping of columnMap.values()) takeMapped(fields, value, mapping);
  return parseRow(fields, options);
}

/** Moves the value at the path of a mapping to its field. */
function takeMapped(fields: Record<string, unknown>, value: Fields, mapping: Mapping): void {
  const { name, field } = mapping;
  const path = Object.hasOwn(value, name) ? [name] : name.split(".");
  let found: unknown = value;
  for (const key of path)
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  const [key = ""] = path;
  if (!knownFields.has(key)) delete fields[key];
  fields[field] = typeof found === "string" ? parseCell(field, found) : (found ?? undefined);
  mapping.isFound ||= found !== undefined;
}

const fieldReaders: {
  readonly [Field in NewPetField]: {
    readonly fromText: (text: string) => unknown;
    readonly read: (value: unknown) => Required<NewPet>[Field] | undefined;
  };
} = {
  name: {
    fromText: (text) => text,
    read: (value) => (typeof value === "string" && !isEmptyName(value) ? value : undefined),
  },
  categoryId: { fromText: (text) => parseInt64(text) ?? text, read: toInt64 },
  status: {
    fromText: (text) => (text === "" ? undefined : (asPetStatus(text.toLowerCase()) ?? text)),
    read: asPetStatus,
  },
};

/** Returns what a text says about a field: undefined for no status, the text itself if it is not valid. */
export const parseCell = (field: NewPetField, text: string): unknown =>
  fieldReaders[field].fromText(text);

/** Returns the map of values like `FIELD:TEXT=VALUE`. Throws a usage Failure. */
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
    const typed = fieldReaders[field].read(parseCell(field, written));
    if (typed === undefined)
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
export function parseRow(given: Fields, options: RowOptions): NewPet | RowFault {
  const names = options.ignoreFields ? [] : Object.keys(given);
  const unknown = names.filter((field) => !knownFields.has(field));
  const fields = completed(given, options);
  const pet = unknown.length === 0 ? petOf(fields) : undefined;
  return pet ?? rowFault(fields, unknown);
}

function petOf(fields: Fields): WithOnly<NewPet, "name" | "categoryId" | "status"> | undefined {
  const name = fieldReaders.name.read(fields.name);
  const categoryId = fieldReaders.categoryId.read(fields.categoryId);
  const status = fieldReaders.status.read(fields.status);
  if (name === undefined || categoryId === undefined) return undefined;
  if (status !== undefined) return { name, categoryId, status };
  return fields.status === undefined ? { name, categoryId } : undefined;
}

/** Returns the fields with what `--value` and the defaults make of them. */
function completed(fields: Fields, { valueMap, defaults }: RowOptions): Fields {
  if (!valueMap?.size && defaults === undefined) return fields;
  const complete: Record<string, unknown> = { ...fields };
  for (const field of newPetFieldNames) {
    const text = textOf(fields[field]);
    if (text === undefined) continue;
    const key = normalize(text);
    // A blank text must be named itself.
    const other = key === "" ? defaults?.[field] : valueMap?.get(`${field}:*`);
    complete[field] = valueMap?.get(`${field}:${key}`) ?? other ?? fields[field];
  }
  return complete;
}

/** Returns a value as text; undefined for one that is neither text nor number. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return "";
  if (value instanceof OtherNumber) return value.source;
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

const maxUnknown = 10;

/** Returns all that is wrong with a row as one fault, at its first field. */
function rowFault(fields: Fields, unknown: readonly string[]): RowFault {
  // It may be around the animals, and not be one.
  const list =
    fields.name === undefined ? unknown.find((field) => isList(fields[field])) : undefined;
  if (list !== undefined) {
    const message = "is an array, and not a field of an animal";
    return { field: excerpt(list), message, cure: [asJson, ["--items", list]] };
  }
  const faults: readonly RowFault[] = [
    ...unknown.slice(0, maxUnknown).map((field, place) => {
      const known = place === 0 ? ` (${newPetFieldNames.join(", ")})` : "";
      return { field: excerpt(field), message: `is not a field of an animal${known}` };
    }),
    ...newPetFieldNames.flatMap((field) => wrongField(field, fields[field])),
  ];
  const messages = faults.map(({ field, message }, at) => (at > 0 ? `${field} ` : "") + message);
  const missing = newPetFieldNames.filter((field) => fields[field] === undefined);
  const cure =
    unknown.length > 0
      ? ignoringOthers(guessByName(unknown, missing), unknown.length)
      : faults.flatMap((fault) => fault.cure ?? []);
  return { ...faults[0], message: messages.join("; "), cure };
}

const isList = (value: unknown): boolean => Array.isArray(value) && typeof value[0] === "object";

/** Returns what is wrong with a value, if anything, and the flags that give one to the field or the text. */
function wrongField(field: NewPetField, value: unknown): readonly RowFault[] {
  if (fieldReaders[field].read(value) !== undefined) return [];
  if (value === undefined)
    return requiredPetFields.includes(field)
      ? [{ field, message: "is missing", cure: defaultFlags[field] }]
      : [];
  const isText = typeof value === "string";
  const text = textOf(value) ?? "?";
  const advice = isText ? adviceOn(field, text) : "";
  const rule = field === "name" && !isText ? "must be a string" : brokenRule(field, text);
  const message = field === "name" && isText ? rule : `${rule}, not ${show(value)}${advice}`;
  if (text.trim() === "") return [{ field, message, cure: defaultFlags[field] }];
  // A text that is nearly right needs correction instead.
  const isWord = isText && advice === "" && text.length <= 40;
  return [{ field, message, cure: isWord ? valueFlags(field, text.trim()) : [] }];
}

/** Matches a long number as a spreadsheet saves it; the digits that it left out are lost. */
const roundedNumber = /^-?\d[.,]\d+E[+]\d+$/;

function adviceOn(field: NewPetField, text: string): string {
  if (field === "categoryId" && roundedNumber.test(text))
    return ": a spreadsheet may have rounded it; format the column as text, and enter it again";
  const nearest = field === "status" ? closeMatch(text.trim(), petStatuses) : undefined;
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

function valueFlags(field: NewPetField, text: string): Flags {
  if (field === "status") return [["--value", `status:${text}=STATUS`]];
  return /\p{L}/u.test(text) ? [["--value", `category:${text}=ID`]] : [];
}

function show(value: unknown): string {
  if (value instanceof OtherNumber) return excerpt(value.source);
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
