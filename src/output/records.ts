import { stringifyExact } from "../core/json/stringify.ts";
import type { RenderTarget } from "./color.ts";

/** Something to be shown; inherited fields are not. */
export type RenderedRecord = object;

/** A field of records: its names, and what kind of value it has. */
export interface RecordColumn {
  readonly field: string;
  /** Its name in the header of a table. */
  readonly header: string;
  /** Numbers and codes are never cut, as a part of one is useless; statuses are coloured. */
  readonly kind: "text" | "number" | "code" | "status";
  /** Whether it is cut first if a terminal is too narrow. */
  readonly flexible?: boolean;
}

/** How records are shown. */
export interface RenderOptions extends RenderTarget {
  readonly columns: readonly RecordColumn[];
  /** The fields to show, in this order; each is that of a column. By default all. */
  readonly fields?: readonly string[];
  /** Whether JSON is the single record instead of an array. */
  readonly single: boolean;
  /** Whether JSON has all that a record holds if no fields are named, and not only its columns. */
  readonly whole?: boolean;
}

/** Returns the columns to show, in order. */
export function shownColumns({
  columns,
  fields,
}: Pick<RenderOptions, "columns" | "fields">): readonly RecordColumn[] {
  if (fields === undefined) return columns;
  return fields.flatMap((name) => columns.filter(({ field }) => field === name));
}

/** What a record has in a field; undefined if it is missing. */
type FieldValue = string | bigint | number | boolean | object | null | undefined;

function fieldValue(record: RenderedRecord, field: string): FieldValue {
  return Object.hasOwn(record, field) ? Reflect.get(record, field) : undefined;
}

/** Returns the value of a field as text: JSON for what is nested, empty if it is missing. */
export function fieldText(record: RenderedRecord, { field }: RecordColumn): string {
  const value = fieldValue(record, field) ?? "";
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/** Returns what JSON shows of a record. */
export function jsonValue(record: RenderedRecord, options: RenderOptions): object {
  if (options.whole && options.fields === undefined) return record;
  return pickFields(record, shownColumns(options));
}

/** Returns the fields of the columns and no others, in the order of the columns. */
export function pickFields(record: RenderedRecord, columns: readonly RecordColumn[]) {
  return Object.fromEntries(columns.map(({ field }) => [field, fieldValue(record, field)]));
}
