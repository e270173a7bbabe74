import { int64Max, int64Min } from "./int64.ts";
import { petStatuses } from "./enums.ts";

/** What the fields of a NewPet must be, as messages say it behind the name of a field or flag. */
export const petRules = {
  name: "must not be empty",
  categoryId: `must be a whole number from ${int64Min} to ${int64Max}, such as 7 or -7`,
  status: `must be one of ${petStatuses.join(", ")}`,
} as const;

/** Whether `name` is no name: nothing of it is left after trimming (contract.md, Commands). */
export function isEmptyName(name: string): boolean {
  return name.trim() === "";
}
