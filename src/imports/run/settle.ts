import { newPetFieldNames, petText } from "../../core/pet-fields.ts";
import type { NewPet, Pet } from "../../core/pet.ts";
import type { PetStatus } from "../../core/pet-rules.ts";
import type { Row } from "../types.ts";

/** What the store lists, and what journals record about it. */
export interface StoreView {
  /** The animals of all lists that no record accounts for, each once. */
  readonly unaccounted: readonly Pet[];
  /** Returns whether a list that would contain an animal with this status, or without one, is complete. */
  readonly isWhole: (status: PetStatus | undefined) => boolean;
  /** Returns how many equal rows of other runs may have been added. */
  readonly othersInDoubt: (row: Row) => number;
}

/** How rows in doubt ended. */
export interface Settled {
  readonly found: readonly { readonly row: Row; readonly pet: Pet }[];
  readonly absent: readonly Row[];
  readonly unknown: readonly Row[];
}

/**
 * Settles rows in doubt by what the store shows (`help bulk`): a row is
 * found if there are as many equal animals that no record accounts for, and absent if a complete list would
 * contain it. A row without a status is compared without it, as the service may have assigned one.
 */
export function settle(rows: readonly Row[], view: StoreView): Settled {
  const taken = new Set<bigint>();
  const found: { row: Row; pet: Pet }[] = [];
  const absent: Row[] = [];
  const unknown: Row[] = [];
  for (const { first, equal } of groups(rows)) {
    const pets = view.unaccounted.filter((pet) => !taken.has(pet.id) && matches(first.pet, pet));
    const count = Math.max(0, Math.min(equal.length, pets.length - view.othersInDoubt(first)));
    for (const [i, row] of equal.entries()) {
      const pet = pets[i];
      if (i < count && pet !== undefined) {
        taken.add(pet.id);
        found.push({ row, pet });
      } else if (i >= pets.length && view.isWhole(first.pet.status)) absent.push(row);
      else unknown.push(row);
    }
  }
  found.sort((a, b) => byLine(a.row, b.row));
  return { found, absent: absent.sort(byLine), unknown: unknown.sort(byLine) };
}

const byLine = (a: Row, b: Row): number => a.index - b.index;

/** Equal rows. */
interface Group {
  readonly first: Row;
  readonly equal: readonly Row[];
}

/** Returns the groups of equal rows, those with a status first, as fewer animals match them. */
function groups(rows: readonly Row[]): readonly Group[] {
  const all = Map.groupBy(rows, ({ pet }) => petText(pet));
  const found = [...all.values()].flatMap((equal) => {
    const [first] = equal;
    return first === undefined ? [] : [{ first, equal }];
  });
  const rank = ({ first }: Group): number => (first.pet.status === undefined ? 1 : 0);
  return found.toSorted((a, b) => rank(a) - rank(b));
}

function matches(row: NewPet, pet: Pet): boolean {
  return newPetFieldNames.every((field) => row[field] === undefined || row[field] === pet[field]);
}
