/** A value that can be shown. */
export type FieldValue = string | bigint | number | boolean | undefined;

/** Something to be shown, by its own fields. */
export type RenderedRecord = object;

/** A field of records: how it is called, and what it holds. */
export interface RecordColumn {
  readonly field: string;
  /** Its name at the head of a table. */
  readonly header: string;
  /** Numbers and codes, which are of use as a whole only, are never cut; statuses are coloured. */
  readonly kind: "text" | "number" | "code" | "status";
  /** Whether it is the first to be cut where a terminal is too narrow. */
  readonly flexible?: boolean;
}

/** What is told of how records are to be shown. */
export interface RenderOptions {
  readonly columns: readonly RecordColumn[];
  /** The fields to show, in this order; each the field of a column. By default all columns. */
  readonly fields?: readonly string[];
  /** Whether JSON is the one record in place of an array. */
  readonly single: boolean;
  /** Whether it goes to a terminal. */
  readonly terminal: boolean;
  /** Width of that terminal, in columns. */
  readonly width?: number;
  readonly color: boolean;
  /** False where the header of CSV and TSV stands already above these records. */
  readonly header?: boolean;
}

/** The columns that `options` asks for, in their order. */
export function shownColumns({ columns, fields }: RenderOptions): readonly RecordColumn[] {
  if (fields === undefined) return columns;
  return fields.flatMap((name) => columns.filter(({ field }) => field === name));
}

/** The value of a field of `record`; undefined where it is missing. Throws a TypeError for an object. */
function fieldValue(record: RenderedRecord, field: string): FieldValue {
  const value: unknown = Object.hasOwn(record, field) ? Reflect.get(record, field) : undefined;
  if (isFieldValue(value)) return value;
  throw new TypeError(`the field ${field} can't be shown`);
}

function isFieldValue(value: unknown): value is FieldValue {
  return ["string", "bigint", "number", "boolean", "undefined"].includes(typeof value);
}

/** The value of a field as text, empty where it is missing. */
export function fieldText(record: RenderedRecord, { field }: RecordColumn): string {
  const value = fieldValue(record, field);
  return value === undefined ? "" : String(value);
}

/** The columns' fields of `record` and nothing else, in the order of the columns. */
export function pickFields(record: RenderedRecord, columns: readonly RecordColumn[]) {
  return Object.fromEntries(columns.map(({ field }) => [field, fieldValue(record, field)]));
}
