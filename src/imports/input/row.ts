import {
  asPetStatus,
  isEmptyName,
  newPetFieldNames,
  type NewPetField,
  petRules,
} from "../../core/pet-fields.ts";
import { petStatuses } from "../../core/enums.ts";
import { parseInt64, toInt64 } from "../../core/int64.ts";
import { isRecord, OtherNumber } from "../../core/json/parse.ts";
import type { NewPet } from "../../core/pet.ts";
import { closeMatch } from "../../core/strings.ts";
import type { ReadRow, RowFault } from "../types.ts";
import {
  type ColumnMap,
  defaultFlags,
  excerpt,
  type Flags,
  isKnownField,
  type Mapping,
  quote,
  translate,
  type ValueMap,
} from "./fields.ts";

/** The maximum size of a row, in bytes. */
export const maxRowBytes = 1024 * 1024;

/** What is wrong with a longer row. */
export const rowTooLong: RowFault = { message: "must be 1 MiB at most" };

/** What is read of an input, by the flags of `pets add --from`. */
export interface RowOptions {
  readonly ignoreFields: boolean;
  readonly noHeader?: boolean;
  readonly skipLines?: number;
  readonly items?: string;
  readonly columnMap?: ColumnMap;
  readonly valueMap?: ValueMap;
  /** The values of rows that have none. */
  readonly defaults?: Partial<NewPet>;
}

/** Returns the row of this number, from 0, that begins in `line`. */
export function rowAt(index: number, line: number, found: NewPet | RowFault): ReadRow {
  return "message" in found ? { line, ...found } : { index, line, pet: found };
}

/** The fields of a row, with values as `parseExact` returns them. */
type Fields = Readonly<Record<string, unknown>>;

/** Returns the animal of a JSON value, or what is wrong with it. */
export function parseValue(value: unknown, options: RowOptions): NewPet | RowFault {
  if (!isRecord(value) || value instanceof OtherNumber)
    return { message: `must be a JSON object, not ${show(value)}` };
  const { columnMap } = options;
  if (!columnMap?.size) return parseRow(value, options);
  const fields = { ...value };
  for (const mapping of columnMap.values()) takeMapped(fields, value, mapping);
  return parseRow(fields, options);
}

/** Sets the field of a mapping to the value at its path, and removes the key that it came from. */
function takeMapped(
  fields: Record<string, unknown>,
  value: Fields,
  { name, field }: Mapping,
): void {
  const path = Object.hasOwn(value, name) ? [name] : name.split(".");
  let found: unknown = value;
  for (const key of path)
    found = isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  const [key = ""] = path;
  if (!isKnownField(key)) delete fields[key];
  fields[field] = typeof found === "string" ? parseCell(field, found) : (found ?? undefined);
}

/** Returns what a text says about a field: undefined for no status, the text itself if it is not valid. */
export function parseCell(field: NewPetField, text: string): unknown {
  if (field === "categoryId") return parseInt64(text) ?? text;
  if (field === "name") return text;
  return text === "" ? undefined : (asPetStatus(text.toLowerCase()) ?? text);
}

/** Returns the animal of these fields, or the first thing that is wrong with it (`help bulk`). */
export function parseRow(fields: Fields, options: RowOptions): NewPet | RowFault {
  const unknown = options.ignoreFields ? undefined : unknownField(fields);
  if (unknown !== undefined) return unknown;
  const field = petOf(completed(fields, options));
  if (typeof field !== "string") return field;
  const value = fields[field];
  return { field, message: messageFor(field, value), cure: cureOf(field, value) };
}

/** Returns the animal, or the name of the first field that breaks its rule. */
function petOf(fields: Fields): NewPet | NewPetField {
  const { name, status } = fields;
  const categoryId = toInt64(fields.categoryId);
  if (typeof name !== "string" || isEmptyName(name)) return "name";
  if (categoryId === undefined) return "categoryId";
  if (status === undefined) return { name, categoryId };
  const known = asPetStatus(status);
  return known === undefined ? "status" : { name, categoryId, status: known };
}

/** Returns the fields with what `--value` and the defaults make of them. */
function completed(fields: Fields, { valueMap, defaults }: RowOptions): Fields {
  if (!valueMap?.size && defaults === undefined) return fields;
  const complete: Record<string, unknown> = { ...fields };
  for (const field of newPetFieldNames) {
    const text = textOf(fields[field]);
    if (text === undefined) continue;
    const byDefault = text.trim() === "" ? defaults?.[field] : undefined;
    complete[field] = translate(valueMap, field, text) ?? byDefault ?? fields[field];
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

function unknownField(fields: Fields): RowFault | undefined {
  for (const field in fields) {
    if (isKnownField(field)) continue;
    const value = fields[field];
    // No animal, but an object around an array of them.
    const isAround =
      fields.name === undefined && Array.isArray(value) && typeof value[0] === "object";
    const cure = isAround
      ? [
          ["--format", "json"],
          ["--items", field],
        ]
      : [["--ignore-fields"]];
    const message = `is not a field of an animal (${newPetFieldNames.join(", ")})`;
    return { field: excerpt(field), message, cure };
  }
  return undefined;
}

/** Returns the flag that gives a field or a text a value; a text that is nearly right needs correction instead. */
function cureOf(field: NewPetField, value: unknown): Flags {
  const text = textOf(value)?.trim();
  if (text === "") return defaultFlags[field];
  const isWord = typeof value === "string" && text !== undefined && text.length <= 40;
  if (!isWord || field === "name" || adviceOn(field, value) !== "") return [];
  if (field === "status") return [["--value", `status:${text}=STATUS`]];
  return /\p{L}/u.test(text) ? [["--value", `category:${text}=ID`]] : [];
}

function messageFor(field: NewPetField, value: unknown): string {
  const rule = petRules[field];
  if (value === undefined) return field === "name" ? "is missing" : `is missing: it ${rule}`;
  if (field !== "name") return `${rule}, not ${show(value)}${adviceOn(field, value)}`;
  return typeof value === "string" ? rule : `must be a string, not ${show(value)}`;
}

/** Matches a long number as a spreadsheet saves it; the digits that it left out are lost. */
const roundedNumber = /^-?\d[.,]\d+E[+]\d+$/;

function adviceOn(field: NewPetField, value: unknown): string {
  if (typeof value !== "string") return "";
  if (field === "status") {
    const nearest = closeMatch(value.trim(), petStatuses);
    return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  }
  return roundedNumber.test(value)
    ? ": a spreadsheet may have rounded it; format the column as text, and enter it again"
    : "";
}

function show(value: unknown): string {
  if (value instanceof OtherNumber) return excerpt(value.source);
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
