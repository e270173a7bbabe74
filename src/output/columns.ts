import { isSwitch, settingList } from "../config/setting-table.ts";
import { newPetFieldList, type NewPetField, type PetField } from "../core/pet-fields.ts";
import type { RecordColumn } from "./records.ts";

/** Returns columns with a field's name as their header: those that are never cut, and two kinds of text. */
const column =
  (kind: RecordColumn["kind"], flexible = false) =>
  (field: string, header = field.toUpperCase()): RecordColumn => ({
    field,
    header,
    kind,
    flexible,
  });

export const number = column("number");
const code = column("code");
export const text = column("text");
/** Text that is cut first. */
export const longText = column("text", true);

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
  text("name"),
  longText("baseUrl", "BASE URL"),
  longText("key"),
  text("current"),
];

/** All that a profile holds: the settings too that it need not have. */
export const allProfileColumns: readonly RecordColumn[] = [
  ...profileColumns,
  ...settingList.flatMap(({ name, saved, ...setting }): readonly RecordColumn[] => {
    if (saved === undefined || name === "baseUrl") return [];
    return [(isSwitch(setting) ? text : longText)(name, saved.toUpperCase())];
  }),
];

/** How imports are shown. */
export const importColumns: readonly RecordColumn[] = [
  number("id"),
  ...["input", "host"].map((field) => longText(field)),
  code("when"),
  ...["rows", "added", "rejected", "unknown", "left"].map((field) => number(field)),
];

/** How the rows of an import are shown. */
export const importRowColumns = [number("line"), text("outcome"), number("id"), longText("error")];

const ownKeyColumns = [code("id"), text("plan"), longText("createdAt", "CREATED")];

/** How the keys of a store are shown. */
export const keyColumns = [...ownKeyColumns, text("operator")];

/** How a new key is shown: the only time that the key itself is printed. */
export const newKeyColumns = [code("apiKey", "KEY"), ...ownKeyColumns];

/** How the requests to a store are shown. */
export const requestColumns: readonly RecordColumn[] = [
  code("time"),
  code("status"),
  text("method"),
  number("durationMs", "MS"),
  longText("keyId", "KEY"),
  text("fault"),
  longText("path"),
];

/** All columns that a request has. */
export const allRequestColumns: readonly RecordColumn[] = [
  code("id"),
  ...requestColumns,
  text("remoteAddress", "FROM"),
  text("early"),
  text("truncated"),
  longText("requestBody", "SENT"),
  longText("responseBody", "RECEIVED"),
];

/** How the state of a store is shown. */
export const stateColumns = [number("pets"), longText("requests"), number("early"), number("bans")];

/** How the time of a store is shown. */
export const clockColumns = [code("now"), text("frozen")];

/** How the steps of a store's script are shown. */
export const scriptColumns: readonly RecordColumn[] = [
  number("step"),
  longText("on"),
  text("do"),
  number("times"),
  number("taken"),
];

/** How the faults of a store are shown. */
export const faultColumns = [text("fault"), text("latency")];
