import type { PetField } from "../client/types.ts";
import type { Column } from "./records.ts";

/** How animals are shown (contract.md, What goes where). */
export const petColumns = [
  { field: "id", header: "ID", kind: "number" },
  { field: "name", header: "NAME", kind: "text", flexible: true },
  { field: "categoryId", header: "CATEGORY", kind: "number" },
  { field: "status", header: "STATUS", kind: "status" },
] as const satisfies readonly (Column & { readonly field: PetField })[];

/** How animals are shown that have no id yet. */
export const newPetColumns = petColumns.filter(({ field }) => field !== "id");
