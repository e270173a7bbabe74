import { petStatuses } from "../../core/enums.ts";
import { OtherNumber } from "../../core/json/parse.ts";
import { decode, newPetSchema } from "../../core/pet.ts";
import { newPetFieldNames, petRules } from "../../core/pet-fields.ts";
import { closeMatch } from "../../core/strings.ts";
import type { InvalidRow, ReadRow } from "../types.ts";
import type { ColumnMap } from "./column-map.ts";
import { excerpt, rowFields } from "./fields.ts";

/** The maximum size of a row, in bytes. */
export const maxRowBytes = 1024 * 1024;

/** The message for a longer row. */
export const rowTooLong = "must be 1 MiB at most";

const named: ReadonlySet<string> = new Set(rowFields);

/** How to read rows. */
export interface RowOptions {
  /** Whether unknown fields are ignored instead of rejected. */
  readonly ignoreUnknown: boolean;
  /** The fields of columns with other names, from `--map`. */
  readonly columnMap?: ColumnMap;
}

/** The fields of a row, with values as `parseExact` returns them. */
export type Fields = Readonly<Record<string, unknown>>;

/** The number of a row, and the line on which it begins. */
export type RowPosition = Pick<Extract<ReadRow, { index: number }>, "index" | "line">;

/** Returns the row of a JSON value, or what is wrong with it. */
export function parseValue(position: RowPosition, value: unknown, options: RowOptions): ReadRow {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !isNumber(value))
    return parseRow(position, { ...value }, options);
  return { line: position.line, message: `must be a JSON object, not ${show(value)}` };
}

const isNumber = (value: object): boolean => value instanceof OtherNumber;

/** Returns the row of these fields, or the first thing that is wrong with it (contract.md, Commands, Bulk). */
export function parseRow(
  { index, line }: RowPosition,
  fields: Fields,
  options: RowOptions,
): ReadRow {
  const unknown = options.ignoreUnknown ? undefined : unknownField(fields);
  if (unknown !== undefined) return { line, ...unknown };
  const decoded = decode(rowSchema, fields);
  if ("value" in decoded) return { index, line, pet: decoded.value };
  const field = String(decoded.violation.path[0]);
  return { line, field, message: fieldMessage(field, decoded.violation.rule, fields[field]) };
}

const rowSchema = newPetSchema(petRules);

function unknownField(fields: Fields): Omit<InvalidRow, "line"> | undefined {
  for (const field in fields) {
    if (!named.has(field)) return { field: excerpt(field), message: unknownFieldMessage };
  }
  return undefined;
}

/** The message for an unknown field or column. */
export const unknownFieldMessage = `is not a field of an animal (${newPetFieldNames.join(", ")})`;

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
  if (typeof value === "string") return JSON.stringify(excerpt(value));
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
