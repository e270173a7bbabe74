import { asPetStatus, newPetFieldNames, type NewPetField } from "../../core/pet-fields.ts";
import { parseInt64 } from "../../core/int64.ts";
import { closeMatch } from "../../core/strings.ts";
import { defaultFlags, type Flags, normalize } from "./fields.ts";

/** What names of columns contain that may be meant for a field, the most telling first. */
const hints: Readonly<Record<NewPetField, readonly RegExp[]>> = {
  name: [/^(?:animal|pet).?(?:'s.)?name$/, /name/, /^(?:animal|pet)$/],
  categoryId: [/categ/, /species|animal.?type/, /kind|type/, /breed/],
  status: [/status/, /outcome.?type/, /outcome|adopt|state$/],
};

/** Returns the flags that name columns for `wanted` fields as they would be typed; all of `needed` get one. */
export function guessByName(
  columns: readonly string[],
  wanted: readonly NewPetField[],
  needed: readonly NewPetField[],
): Flags {
  const left = new Set(columns);
  const chosen = new Map<NewPetField, string>();
  const choose = (field: NewPetField, column: string | undefined): void => {
    if (column !== undefined && left.delete(column)) chosen.set(field, column);
  };
  for (const field of wanted) choose(field, nearest(field, [...left]));
  for (const field of needed) if (!chosen.has(field)) choose(field, [...left][0]);
  const defaults = needed.filter((field) => !chosen.has(field));
  return [
    ...[...chosen].map(([field, column]) => ["--map", `${column}=${field}`]),
    ...defaults.flatMap((field) => defaultFlags[field]),
  ];
}

function nearest(field: NewPetField, columns: readonly string[]): string | undefined {
  const isHinted = hints[field].map((hint) => (column: string) => hint.test(normalize(column)));
  const isClose = (column: string): boolean => closeMatch(column, [field]) !== undefined;
  return [isClose, ...isHinted].flatMap((isMeant) => columns.filter(isMeant))[0];
}

const isStatus = (cell: string): boolean => asPetStatus(normalize(cell)) !== undefined;

const looksLike: Readonly<Record<NewPetField, (cell: string) => boolean>> = {
  name: (cell) => /\p{L}/u.test(cell) && !isStatus(cell),
  categoryId: (cell) => parseInt64(cell.trim()) !== undefined,
  status: isStatus,
};

/** Returns the flags that read a row of values without a header: a number as category, a status, a name. */
export function guessByValue(cells: readonly string[]): Flags {
  const flags = newPetFieldNames.flatMap((field) => {
    const at = cells.findIndex(looksLike[field]);
    return at === -1 ? defaultFlags[field] : [["--map", `#${at + 1}=${field}`]];
  });
  return [["--no-header"], ...flags];
}
