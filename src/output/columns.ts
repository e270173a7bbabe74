import { usageFailure } from "../core/errors.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { newPetFieldList } from "../core/pet-fields.ts";
import { unknownText } from "../core/strings.ts";

/** A field of records, and how it is shown. */
export interface Column {
  readonly field: string;
  readonly header: string;
  /** Another name that `--fields` may use. */
  readonly alias?: string | undefined;
  /** Numbers and codes (`number`) are never cut, as a part of one is useless; statuses are coloured. */
  readonly kind: "text" | "number" | "status";
  /** Its width in a table whose rows are not known yet; by default that of the header. */
  readonly width?: number;
}

/** Returns the columns of the named `fields`, in their order and once; without names all. Throws a usage Failure. */
export function selectColumns(
  columns: readonly Column[],
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return columns;
  const chosen = fields.map((name) => {
    const found = columns.find(({ field, alias }) => name === field || name === alias);
    if (found !== undefined) return found;
    const allowed = columns.map(({ field }) => field);
    const hint = `The fields are ${allowed.join(", ")}.`;
    throw usageFailure(unknownText("field", name, allowed, "--fields"), hint);
  });
  return [...new Set(chosen)];
}

/** Returns the value of a field as text: JSON for what is nested, empty if it is missing. */
export function fieldText(record: object, field: string): string {
  const value: string | bigint | number | boolean | object = Reflect.get(record, field) ?? "";
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/** Returns the fields of the columns and no others, in the order of the columns. */
export function pickFields(record: object, columns: readonly Column[]): object {
  return Object.fromEntries(columns.map(({ field }) => [field, Reflect.get(record, field)]));
}

const column =
  (kind: Column["kind"]) =>
  (field: string, header = field.toUpperCase(), width = header.length): Column => ({
    field,
    header,
    kind,
    width,
  });

/** Returns a column of numbers or codes. */
export const number = column("number");
/** Returns a column of texts, which a narrow terminal cuts. */
export const text = column("text");

const widths = { text: 20, number: 8, status: 9 } as const;

export const newPetColumns: readonly Column[] = newPetFieldList.map(
  ({ field, header, kind, column: alias }) => ({
    field,
    header,
    alias,
    kind,
    width: widths[kind],
  }),
);

export const petColumns: readonly Column[] = [number("id", "ID", 6), ...newPetColumns];

export const profileColumns: readonly Column[] = [
  text("name"),
  text("baseUrl", "BASE URL"),
  text("key"),
  text("current"),
  text("limiter"),
  text("limiterRequired", "REQUIRED"),
  text("madeByServe", "MADE BY SERVE"),
];

export const importColumns: readonly Column[] = [
  number("id"),
  text("input"),
  text("host"),
  number("when", "AGE"),
  number("rows"),
  number("added"),
  number("rejected", "REJ."),
  number("invalid", "INV."),
  number("unknown", "UNK."),
  number("left"),
];

export const importRowColumns: readonly Column[] = [
  number("line", "LINE", 6),
  text("outcome", "OUTCOME", "rejected".length),
  number("id", "ID", 6),
  text("error"),
];

export const importCheckColumns: readonly Column[] = [
  number("import"),
  number("line"),
  text("outcome"),
  number("id"),
];

const ownKeyColumns = [number("id"), text("plan"), text("createdAt", "CREATED")];

export const keyColumns = [...ownKeyColumns, text("operator")];

/** The only time that the key itself is printed. */
export const newKeyColumns = [number("apiKey", "KEY"), ...ownKeyColumns];

export const requestColumns: readonly Column[] = [
  number("time", "TIME", "14:05:27.042 UTC".length),
  number("status"),
  text("method", "METHOD"),
  number("durationMs", "MS", 7),
  text("keyId", "KEY", 16),
  text("fault", "FAULT", "truncate".length),
  text("path"),
];

export const allRequestColumns: readonly Column[] = [
  number("id", "ID", 34),
  ...requestColumns,
  text("remoteAddress", "FROM", 15),
  text("early"),
  text("truncated"),
  text("requestBody", "SENT"),
  text("responseBody", "RECEIVED"),
];

export const stateColumns = [number("pets"), text("requests"), number("early"), number("bans")];

export const clockColumns = [number("now"), text("frozen")];

export const scriptColumns: readonly Column[] = [
  number("step"),
  text("on"),
  text("do"),
  number("times"),
  number("taken"),
];

export const faultColumns = [text("fault"), text("latency")];
