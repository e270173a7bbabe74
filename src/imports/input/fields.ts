import { type NewPetField, newPetFieldList, newPetFieldNames } from "../../core/pet-fields.ts";
import { truncate } from "../../core/strings.ts";

/** The fields of results and of lists, which are ignored: the service assigns ids. */
const ignoredFields = ["id", "outcome", "error"];

const fields: ReadonlySet<string> = new Set([...newPetFieldNames, ...ignoredFields]);

/** Returns whether a row may have a field of this name. */
export function isKnownField(name: string): boolean {
  return fields.has(name);
}

const fieldsByColumn: ReadonlyMap<string, NewPetField> = new Map([
  ...newPetFieldNames.map((field) => [field.toLowerCase(), field] as const),
  ...newPetFieldList.flatMap(({ field, column }) => (column ? [[column, field] as const] : [])),
]);

/** Returns a column's name for comparison: trimmed and in lower case. */
export function normalize(column: string): string {
  return column.trim().toLowerCase();
}

/** Returns the field that a column has by its own name, if any. */
export function fieldOfColumn(column: string): NewPetField | undefined {
  return fieldsByColumn.get(normalize(column));
}

/** Returns whether a column is one that is ignored on the way in: `id`, `outcome`, `error`. */
export function isIgnoredColumn(column: string): boolean {
  return ignoredFields.includes(normalize(column));
}

/** Returns the beginning of a text that may be long, for a message. */
export function excerpt(text: string): string {
  return truncate(text, 60);
}

/** Returns the beginning of a text in double quotes. */
export function quote(text: string): string {
  return JSON.stringify(excerpt(text));
}
