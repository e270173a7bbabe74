import type { Column } from "./records.ts";

/** How the keys of a store are shown. */
export const keyColumns: readonly Column[] = [
  { field: "id", header: "ID", kind: "code" },
  { field: "plan", header: "PLAN", kind: "text" },
  { field: "createdAt", header: "CREATED", kind: "text", flexible: true },
];

/** How a key is shown that was just made: this once it stands there itself. */
export const newKeyColumns: readonly Column[] = [
  { field: "apiKey", header: "KEY", kind: "code" },
  ...keyColumns,
];
