import type { NewPetField } from "./pet-fields.ts";
import type { NewPet } from "./pet.ts";

/**
 * Returns an animal of all its fields, without those that are undefined. The compiler names a field that is
 * forgotten.
 */
export function newPet({
  name,
  categoryId,
  ...optional
}: { readonly [Field in NewPetField]-?: NewPet[Field] | undefined } & Pick<
  NewPet,
  "name" | "categoryId"
>): NewPet {
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { name, categoryId, ...Object.fromEntries(given) };
}
