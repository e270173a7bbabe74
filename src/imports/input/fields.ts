import { newPetFieldList, petFieldNames } from "../../core/pet-fields.ts";
import { truncate } from "../../core/strings.ts";

/** The fields that a row may have. Its id is ignored: the service assigns one. */
export const rowFields: readonly string[] = petFieldNames;

const knownColumns: ReadonlyMap<string, string> = new Map([
  ...rowFields.map((field) => [field.toLowerCase(), field] as const),
  ...newPetFieldList.flatMap(({ field, column }) => (column ? [[column, field] as const] : [])),
]);

/** Returns a column's name for comparison: trimmed and in lower case. */
export function normalize(column: string): string {
  return column.trim().toLowerCase();
}

/** Returns the field that a column has by its own name, if any. */
export function fieldOfColumn(column: string): string | undefined {
  return knownColumns.get(normalize(column));
}

/** Returns the beginning of a text that may be long, for a message. */
export function excerpt(text: string): string {
  return truncate(text, 60);
}

/** Returns the beginning of a text in double quotes. */
export function quote(text: string): string {
  return JSON.stringify(excerpt(text));
}
