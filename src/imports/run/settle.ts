import { newPetFieldNames, petText } from "../../core/pet-fields.ts";
import type { NewPet, Pet } from "../../core/pet.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import type { Row } from "../types.ts";

/** What the store lists, and what is recorded about it. */
export interface StoreView {
  /** The animals of all lists that no record accounts for, each once. */
  readonly unaccounted: readonly Pet[];
  /** Returns whether a list that would contain an animal with this status, or without one, is complete. */
  readonly isWhole: (status: PetStatus | undefined) => boolean;
  /** Returns how many equal rows of other runs may have been added. */
  readonly othersInDoubt: (row: Row) => number;
}

/** A row that was in doubt: its animal, or whether the store does not have it; else it is still unknown. */
export interface SettledRow {
  readonly row: Row;
  readonly pet: Pet | undefined;
  readonly isAbsent: boolean;
}

/**
 * Settles rows in doubt by what the store shows (`help bulk`), in their order: a row is found if there are as
 * many equal animals that no record accounts for, and absent if a complete list would contain it. A row without
 * a status is compared without it, as the service may have assigned one.
 */
export function settle(rows: readonly Row[], view: StoreView): readonly SettledRow[] {
  const taken = new Set<bigint>();
  const settleEqual = (equal: readonly Row[]): readonly SettledRow[] => {
    const [first] = equal;
    if (first === undefined) return [];
    const pets = view.unaccounted.filter((pet) => !taken.has(pet.id) && matches(first.pet, pet));
    const found = pets.slice(0, Math.max(0, pets.length - view.othersInDoubt(first)));
    for (const { id } of found.slice(0, equal.length)) taken.add(id);
    const isWhole = view.isWhole(first.pet.status);
    return equal.map((row, i) => ({ row, pet: found[i], isAbsent: isWhole && i >= pets.length }));
  };
  // Rows with a status first, as fewer animals match them.
  const sorted = rows.toSorted((a, b) => Number(!a.pet.status) - Number(!b.pet.status));
  const groups = Map.groupBy(sorted, ({ pet }) => petText(pet));
  const settled = [...groups.values()].flatMap(settleEqual);
  return settled.sort((a, b) => a.row.index - b.row.index);
}

function matches(row: NewPet, pet: Pet): boolean {
  return newPetFieldNames.every((field) => row[field] === undefined || row[field] === pet[field]);
}
