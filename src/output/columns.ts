import type { PetField } from "../core/pet.ts";
import type { RecordColumn } from "./records.ts";

/** How animals are shown (contract.md, What goes where). */
export const petColumns = [
  { field: "id", header: "ID", kind: "number" },
  { field: "name", header: "NAME", kind: "text", flexible: true },
  { field: "categoryId", header: "CATEGORY", kind: "number" },
  { field: "status", header: "STATUS", kind: "status" },
] as const satisfies readonly (RecordColumn & { readonly field: PetField })[];

/** How animals without an id are shown. */
export const newPetColumns = petColumns.filter(({ field }) => field !== "id");

/** How profiles are shown. */
export const profileColumns: readonly RecordColumn[] = [
  { field: "name", header: "NAME", kind: "text" },
  { field: "baseUrl", header: "BASE URL", kind: "text", flexible: true },
  { field: "key", header: "KEY", kind: "text", flexible: true },
  { field: "current", header: "CURRENT", kind: "text" },
];

/** How the keys of a store are shown. */
export const keyColumns: readonly RecordColumn[] = [
  { field: "id", header: "ID", kind: "code" },
  { field: "plan", header: "PLAN", kind: "text" },
  { field: "createdAt", header: "CREATED", kind: "text", flexible: true },
];

/** How a new key is shown: the only time that the key itself is. */
export const newKeyColumns: readonly RecordColumn[] = [
  { field: "apiKey", header: "KEY", kind: "code" },
  ...keyColumns,
];
