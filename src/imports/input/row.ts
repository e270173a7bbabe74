import {
  newPetFieldNames,
  type NewPetField,
  petRules,
  newPetFieldList,
} from "../../core/pet-fields.ts";
import { petStatuses } from "../../core/enums.ts";
import { parseInt64 } from "../../core/int64.ts";
import { OtherNumber } from "../../core/json/parse.ts";
import { decode, type NewPet, newPetSchema } from "../../core/pet.ts";
import { asPetStatus } from "../../core/pet-rules.ts";
import { closeMatch } from "../../core/strings.ts";
import type { InvalidRow, ReadRow } from "../types.ts";
import type { ColumnMap, Mapping } from "./column-map.ts";
import { excerpt, isKnownField, quote } from "./fields.ts";
import { translate, type ValueMap } from "./value-map.ts";

/** The maximum size of a row, in bytes. */
export const maxRowBytes = 1024 * 1024;

/** The message for a longer row. */
export const rowTooLong = "must be 1 MiB at most";

/** How to read rows. */
export interface RowOptions {
  /** Whether unknown fields are ignored instead of rejected. */
  readonly ignoreFields: boolean;
  /** Whether the first row of CSV or TSV is no header. */
  readonly noHeader?: boolean;
  /** The columns, or the paths into JSON objects, of `--map`. */
  readonly columnMap?: ColumnMap;
  /** What `--value` makes of texts. */
  readonly valueMap?: ValueMap;
  /** The values of rows that have none. */
  readonly defaults?: Partial<NewPet>;
}

/** The fields of a row, with values as `parseExact` returns them. */
export type Fields = Readonly<Record<string, unknown>>;

/** The number of a row, and the line on which it begins. */
export type RowPosition = Pick<Extract<ReadRow, { index: number }>, "index" | "line">;

/** Returns the row of a JSON value, or what is wrong with it. */
export function parseValue(position: RowPosition, value: unknown, options: RowOptions): ReadRow {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isNumber(value))
    return { line: position.line, message: `must be a JSON object, not ${show(value)}` };
  const fields: Record<string, unknown> = { ...value };
  for (const mapping of options.columnMap?.values() ?? []) takeMapped(fields, value, mapping);
  return parseRow(position, fields, options);
}

const isNumber = (value: object): boolean => value instanceof OtherNumber;

/** Sets the field of a mapping to the value at its path, and removes the key that it came from. */
function takeMapped(
  fields: Record<string, unknown>,
  value: object,
  { name, field }: Mapping,
): void {
  const path = Object.hasOwn(value, name) ? [name] : name.split(".");
  const found = path.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null && Object.hasOwn(part, key)
        ? Reflect.get(part, key)
        : undefined,
    value,
  );
  const [key = ""] = path;
  if (!isKnownField(key)) delete fields[key];
  delete fields[field];
  setField(fields, field, typeof found === "string" ? parseCell(field, found) : found);
}

/** Sets a field that has a value. */
export function setField(
  fields: Record<string, unknown>,
  field: NewPetField,
  value: unknown,
): void {
  if (value !== undefined && value !== null) fields[field] = value;
}

/** Returns the row of these fields, or the first thing that is wrong with it (`help bulk`). */
export function parseRow(
  { index, line }: RowPosition,
  fields: Fields,
  options: RowOptions,
): ReadRow {
  const unknown = options.ignoreFields ? undefined : unknownField(fields);
  if (unknown !== undefined) return { line, ...unknown };
  const decoded = decode(rowSchema, completed(fields, options));
  if ("value" in decoded) return { index, line, pet: decoded.value };
  const field = String(decoded.violation.path[0]);
  const value = fields[field];
  const message = fieldMessage(field, decoded.violation.rule, value);
  return { line, field, message, ...cureOf(field, value) };
}

const rowSchema = newPetSchema(petRules);

/** Returns the fields with what `--value` and the defaults make of them. */
function completed(fields: Fields, { valueMap, defaults }: RowOptions): Fields {
  if (valueMap === undefined && defaults === undefined) return fields;
  const complete: Record<string, unknown> = { ...fields };
  for (const field of newPetFieldNames) {
    const value = fields[field];
    const text = textOf(value);
    const translated =
      valueMap === undefined || text === undefined ? undefined : translate(valueMap, field, text);
    setField(complete, field, translated ?? (text?.trim() === "" ? defaults?.[field] : undefined));
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

/** Returns what a text says about a field: undefined for no status, the text itself if it is not valid. */
export function parseCell(field: NewPetField, text: string): unknown {
  const { kind, required } = newPetFieldList.find((each) => each.field === field) ?? {};
  if (text === "" && required === false) return undefined;
  if (kind === "number") return parseInt64(text) ?? text;
  return kind === "status" ? (asPetStatus(text.toLowerCase()) ?? text) : text;
}

function unknownField(fields: Fields): Omit<InvalidRow, "line"> | undefined {
  for (const field in fields) {
    if (isKnownField(field)) continue;
    const cure = isArrayOfRows(fields, field)
      ? ["--format", "json", "--items", field]
      : ["--ignore-fields"];
    return { field: excerpt(field), message: notField, cure };
  }
  return undefined;
}

/** Returns whether an object is not a row, but has rows in the array of this field. */
function isArrayOfRows(fields: Fields, field: string): boolean {
  const value = fields[field];
  return fields.name === undefined && Array.isArray(value) && typeof value[0] === "object";
}

const notField = `is not a field of an animal (${newPetFieldNames.join(", ")})`;

/** Returns the flag that gives a text a value; a text that is nearly right needs correction instead. */
function cureOf(field: string, value: unknown): Pick<InvalidRow, "cure"> {
  if (field === "name" || typeof value !== "string") return {};
  const text = value.trim();
  if (text === "" || text.length > 40 || adviceOn(field, value) !== "") return {};
  if (field === "categoryId" && !/\p{L}/u.test(text)) return {};
  return {
    cure: ["--value", field === "status" ? `status:${text}=STATUS` : `category:${text}=ID`],
  };
}

function fieldMessage(field: string, rule: string, value: unknown): string {
  if (field === "name") return nameMessage(rule, value);
  if (value === undefined) return `is missing: it ${rule}`;
  const advice = typeof value === "string" ? adviceOn(field, value) : "";
  return `${rule}, not ${show(value)}${advice}`;
}

/** Matches a long number as a spreadsheet saves it; the digits that it left out are lost. */
const roundedNumber = /^-?\d[.,]\d+E[+]\d+$/;

function adviceOn(field: string, value: string): string {
  if (field === "status") {
    const nearest = closeMatch(value.trim(), petStatuses);
    return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  }
  return roundedNumber.test(value)
    ? ": a spreadsheet may have rounded it; format the column as text, and enter it again"
    : "";
}

function nameMessage(rule: string, value: unknown): string {
  if (value === undefined) return "is missing";
  if (typeof value !== "string") return `must be a string, not ${show(value)}`;
  return rule;
}

function show(value: unknown): string {
  if (value instanceof OtherNumber) return excerpt(value.source);
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
