import type { Column } from "./records.ts";

/** How profiles are shown. */
export const profileColumns: readonly Column[] = [
  { field: "name", header: "NAME", kind: "text" },
  { field: "baseUrl", header: "BASE URL", kind: "text", flexible: true },
  { field: "key", header: "KEY", kind: "text" },
  { field: "current", header: "CURRENT", kind: "text" },
];
