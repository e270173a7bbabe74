import { type NewPetField, petRules } from "../../core/pet-fields.ts";
import { usageFailure } from "../../core/errors.ts";
import { parseInt64 } from "../../core/int64.ts";
import { asPetStatus, isEmptyName } from "../../core/pet-rules.ts";
import { fieldOfColumn, normalize, quote } from "./fields.ts";

/** What `--value` makes of the texts of each field, by their normalized form. */
export type ValueMap = ReadonlyMap<NewPetField, ReadonlyMap<string, unknown>>;

/** Stands for every text that is not named. */
const anyText = "*";

/** Returns the map of values like `FIELD:TEXT=VALUE`. Throws a usage Failure. */
export function parseValueMap(values: readonly string[]): ValueMap {
  const map = new Map<NewPetField, Map<string, unknown>>();
  for (const value of values) {
    const { field, text, typed } = parseValue(value);
    const texts = map.get(field) ?? new Map<string, unknown>();
    const key = normalize(text);
    if (texts.has(key) && texts.get(key) !== typed)
      throw usageFailure(`--value gives ${quote(text)} two values for ${field}`);
    map.set(field, texts.set(key, typed));
  }
  return map;
}

function parseValue(value: string) {
  const colon = value.indexOf(":");
  const end = value.lastIndexOf("=");
  const field = fieldOfColumn(value.slice(0, Math.max(0, colon)));
  if (field === undefined || end < colon)
    throw usageFailure(
      `--value must be FIELD:TEXT=VALUE, with name, category or status as FIELD, not ${quote(value)}`,
      "for example --value category:Dog=1",
    );
  const written = value.slice(end + 1);
  const typed = parseFieldValue(field, written);
  if (typed === undefined)
    throw usageFailure(
      `--value ${quote(value)}: ${field} ${petRules[field]}, not ${quote(written)}`,
    );
  return { field, text: value.slice(colon + 1, end), typed };
}

/** Returns the value that a text spells for a field; undefined if it is not valid. */
function parseFieldValue(field: NewPetField, text: string): unknown {
  if (field === "categoryId") return parseInt64(text);
  if (field === "status") return asPetStatus(text);
  return isEmptyName(text) ? undefined : text;
}

/** Returns the value that replaces a text; undefined if there is none. A blank text must be named itself. */
export function translate(map: ValueMap, field: NewPetField, text: string): unknown {
  const texts = map.get(field);
  if (texts === undefined) return undefined;
  const key = normalize(text);
  return texts.get(key) ?? (key === "" ? undefined : texts.get(anyText));
}
