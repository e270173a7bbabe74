import { asPetStatus, newPetFieldNames, type NewPetField } from "../../core/pet-fields.ts";
import { typosIn } from "../../core/strings.ts";
import { defaultFlags, type Flags, normalize } from "./fields.ts";

/** The names of columns that say which field they are for, in lower case without blanks and signs. */
const names: Readonly<Record<NewPetField, readonly string[]>> = {
  name: ["name", "animalname", "animalsname", "petname", "petsname", "tiername", "namedestieres"],
  categoryId: ["category", "categoryid", "kategorie", "species", "animaltype", "tierart"],
  status: ["status", "adoptionstatus", "animalstatus", "petstatus"],
};

const maxNameLength = 50;

/** Returns whether a column's name says that it is for a field; up to `maxTypos` letters may be wrong. */
function isNamedFor(field: NewPetField, column: string, maxTypos: number): boolean {
  if (column.length > maxNameLength) return false;
  const name = normalize(column).replace(/[^\p{L}\p{N}]/gu, "");
  return names[field].some((each) => each[0] === name[0] && typosIn(name, each) <= maxTypos);
}

/** Returns whether a column's name is one for a field. */
export const isFieldName = (column: string): boolean =>
  newPetFieldNames.some((field) => isNamedFor(field, column, 0));

/**
 * Returns the flags that name columns for `wanted` fields, where their names say so. Of `needed` fields the others get
 * a placeholder: a column that is merely left could add wrong animals.
 */
export function guessByName(
  columns: readonly string[],
  wanted: readonly NewPetField[],
  needed: readonly NewPetField[],
): Flags {
  const left = new Set(columns);
  const chosen = new Map<NewPetField, string>();
  for (const field of wanted) {
    const [column] = [0, 1].flatMap((typos) =>
      [...left].filter((each) => isNamedFor(field, each, typos)),
    );
    if (column !== undefined && left.delete(column)) chosen.set(field, column);
  }
  const others = needed.filter((field) => !chosen.has(field));
  return [
    ...[...chosen].map(([field, column]) => ["--map", `${column}=${field}`]),
    ...others.flatMap((field) => (left.size > 0 ? [placeholder(field)] : defaultFlags[field])),
  ];
}

/** Returns the flags that read values without a header: only a status shows which column it is in. */
export function guessByValue(
  cells: readonly string[],
  wanted: readonly NewPetField[],
  needed: readonly NewPetField[],
): Flags {
  const status = cells.findIndex(isStatus);
  const isKnown = status !== -1 && wanted.includes("status");
  const known = isKnown ? [["--map", `#${status + 1}=status`]] : [];
  return [...needed.map(placeholder), ...known];
}

/** Returns these maps of some `columns`, and the flag that ignores the others if there are any. */
export function ignoringOthers(maps: Flags, columns: number): Flags {
  const isLeft = columns > maps.filter(([flag]) => flag === "--map").length;
  return isLeft ? [...maps, ["--ignore-fields"]] : maps;
}

/** Returns whether a cell is one of the statuses. */
export const isStatus = (cell: string): boolean => asPetStatus(normalize(cell)) !== undefined;

const placeholder = (field: NewPetField): readonly string[] => ["--map", `COLUMN=${field}`];
