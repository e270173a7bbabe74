import { isSwitch, settingList } from "../config/setting-table.ts";
import { newPetFieldList, type NewPetField, type PetField } from "../core/pet-fields.ts";
import type { RecordColumn } from "./records.ts";

/** How animals without an id are shown. */
export const newPetColumns: readonly (RecordColumn & { readonly field: NewPetField })[] =
  newPetFieldList.map(({ field, header, kind }) => ({
    field,
    header,
    kind,
    flexible: kind === "text",
  }));

/** How animals are shown (`help output`). */
export const petColumns: readonly (RecordColumn & { readonly field: PetField })[] = [
  { field: "id", header: "ID", kind: "number" },
  ...newPetColumns,
];

/** How profiles are shown. */
export const profileColumns: readonly RecordColumn[] = [
  { field: "name", header: "NAME", kind: "text" },
  { field: "baseUrl", header: "BASE URL", kind: "text", flexible: true },
  { field: "key", header: "KEY", kind: "text", flexible: true },
  { field: "current", header: "CURRENT", kind: "text" },
];

/** All that a profile holds: the settings too that it need not have. */
export const allProfileColumns: readonly RecordColumn[] = [
  ...profileColumns,
  ...settingList.flatMap(({ name, saved, ...setting }): readonly RecordColumn[] =>
    saved === undefined || name === "baseUrl"
      ? []
      : [{ field: name, header: saved.toUpperCase(), kind: "text", flexible: !isSwitch(setting) }],
  ),
];

/** How imports are shown. */
export const importColumns: readonly RecordColumn[] = [
  { field: "id", header: "ID", kind: "number" },
  { field: "input", header: "INPUT", kind: "text", flexible: true },
  { field: "host", header: "HOST", kind: "text", flexible: true },
  { field: "when", header: "WHEN", kind: "code" },
  { field: "rows", header: "ROWS", kind: "number" },
  { field: "added", header: "ADDED", kind: "number" },
  { field: "rejected", header: "REJECTED", kind: "number" },
  { field: "unknown", header: "UNKNOWN", kind: "number" },
  { field: "left", header: "LEFT", kind: "number" },
];

/** How the rows of an import are shown. */
export const importRowColumns: readonly RecordColumn[] = [
  { field: "line", header: "LINE", kind: "number" },
  { field: "outcome", header: "OUTCOME", kind: "text" },
  { field: "id", header: "ID", kind: "number" },
  { field: "error", header: "ERROR", kind: "text", flexible: true },
];

/** How the keys of a store are shown. */
export const keyColumns: readonly RecordColumn[] = [
  { field: "id", header: "ID", kind: "code" },
  { field: "plan", header: "PLAN", kind: "text" },
  { field: "createdAt", header: "CREATED", kind: "text", flexible: true },
];

/** How a new key is shown: the only time that the key itself is printed. */
export const newKeyColumns: readonly RecordColumn[] = [
  { field: "apiKey", header: "KEY", kind: "code" },
  ...keyColumns,
];

/** How the requests to a store are shown. */
export const requestColumns: readonly RecordColumn[] = [
  { field: "time", header: "TIME", kind: "code" },
  { field: "status", header: "STATUS", kind: "code" },
  { field: "method", header: "METHOD", kind: "text" },
  { field: "durationMs", header: "MS", kind: "number" },
  { field: "keyId", header: "KEY", kind: "code" },
  { field: "fault", header: "FAULT", kind: "text" },
  { field: "path", header: "PATH", kind: "text", flexible: true },
];

/** All columns that a request has. */
export const allRequestColumns: readonly RecordColumn[] = [
  { field: "id", header: "ID", kind: "code" },
  ...requestColumns,
  { field: "remoteAddress", header: "FROM", kind: "text" },
  { field: "early", header: "EARLY", kind: "text" },
  { field: "truncated", header: "TRUNCATED", kind: "text" },
  { field: "requestBody", header: "SENT", kind: "text", flexible: true },
  { field: "responseBody", header: "RECEIVED", kind: "text", flexible: true },
];

/** How the state of a store is shown. */
export const stateColumns: readonly RecordColumn[] = [
  { field: "pets", header: "PETS", kind: "number" },
  { field: "requests", header: "REQUESTS", kind: "text", flexible: true },
  { field: "early", header: "EARLY", kind: "number" },
  { field: "bans", header: "BANS", kind: "number" },
];

/** How the time of a store is shown. */
export const clockColumns: readonly RecordColumn[] = [
  { field: "now", header: "NOW", kind: "code" },
  { field: "frozen", header: "FROZEN", kind: "text" },
];

/** How the steps of a store's script are shown. */
export const scriptColumns: readonly RecordColumn[] = [
  { field: "step", header: "STEP", kind: "number" },
  { field: "on", header: "ON", kind: "text", flexible: true },
  { field: "do", header: "DO", kind: "text" },
  { field: "times", header: "TIMES", kind: "number" },
  { field: "taken", header: "TAKEN", kind: "number" },
];

/** How the faults of a store are shown. */
export const faultColumns: readonly RecordColumn[] = [
  { field: "fault", header: "FAULT", kind: "text" },
  { field: "latency", header: "LATENCY", kind: "text" },
];
