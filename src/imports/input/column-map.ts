import { type NewPetField } from "../../core/pet-fields.ts";
import { type Failure, usageFailure } from "../../core/errors.ts";
import { fieldOfColumn, normalize, quote } from "./fields.ts";

/** A column, or a path into a JSON object, that `--map` gives to a field. */
export interface Mapping {
  readonly field: NewPetField;
  /** As it was typed. */
  readonly name: string;
}

/** The columns of `--map` by their normalized names. */
export type ColumnMap = ReadonlyMap<string, Mapping>;

/**
 * Returns the map of values like `COLUMN=FIELD`. Throws a usage Failure, also for a column with two fields
 * or a field with two columns.
 */
export function parseColumnMap(values: readonly string[]): ColumnMap {
  const map = new Map<string, Mapping>();
  for (const value of values) {
    const mapping = parseMapping(value);
    const key = normalize(mapping.name);
    const other = map.get(key) ?? [...map.values()].find(({ field }) => field === mapping.field);
    if (other !== undefined && !(normalize(other.name) === key && other.field === mapping.field))
      throw conflict(mapping, other);
    map.set(key, mapping);
  }
  return map;
}

function parseMapping(value: string): Mapping {
  const end = value.lastIndexOf("=");
  const name = value.slice(0, Math.max(0, end));
  const field = fieldOfColumn(value.slice(end + 1));
  if (normalize(name) !== "" && field !== undefined) return { name, field };
  throw usageFailure(
    `--map must be COLUMN=FIELD, with name, categoryId or status as FIELD, not ${quote(value)}`,
    "for example --map Animal=name",
  );
}

function conflict({ name, field }: Mapping, other: Mapping): Failure {
  return usageFailure(
    field === other.field
      ? `--map names two columns for ${field}: ${quote(other.name)} and ${quote(name)}`
      : `--map names the column ${quote(name)} twice, for ${other.field} and ${field}`,
  );
}
