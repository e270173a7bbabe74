import {
  compareRows,
  countOf,
  findEarlierRows,
  isMostlyKnown,
  type KnownRows,
  recordFound,
} from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  forgetOldImports,
  type ImportRecord,
  importsOfInput,
  type NewImport,
  readImport,
  readyImport,
  updateImport,
} from "../database/import-records.ts";
import type { SendRule } from "../types.ts";
import { refuseOldJournal } from "./input-lock.ts";
import { confidence, hasRecords, type Here, selectImport } from "./store-identity.ts";

/** What may be done: the import to go on with, or why nothing may be sent. */
export type Preparation =
  | {
      readonly kind: "ready";
      readonly record: ImportRecord;
      readonly known: KnownRows | undefined;
      /** Whether earlier runs of the input sent to other stores only. */
      readonly isOtherStore: boolean;
    }
  | { readonly kind: "store_unknown" }
  | { readonly kind: "already_added"; readonly known: KnownRows };

/**
 * Finds out which store answers if earlier runs recorded anything to rely on, finds or begins the import
 * of the input there, and compares its rows with what other imports added. Its input must be locked.
 */
export async function prepareImport(
  database: ImportDatabase,
  place: NewImport,
  rule: SendRule,
  askStore: () => Promise<string | undefined>,
): Promise<Preparation> {
  const { input, address, key, started } = place;
  const { again, checkUnknown, resume } = rule;
  forgetOldImports(database, started, input);
  const own = importsOfInput(database, input);
  if (own.length === 0 && !again) refuseOldJournal(database.folder, input);
  const others = again || checkUnknown ? [] : findEarlierRows(database, input, started);
  const isRelied = others.length > 0 || own.some(hasRecords);
  const here = { storeId: isRelied ? await askStore() : undefined, address, key };
  const found = selectImport(own, here, resume ? 1 : 2) ?? own.find((each) => !hasRecords(each));
  const isDoubtful = (each: ImportRecord): boolean =>
    hasRecords(each) && confidence(each, here) === 1;
  if (found === undefined && own.some(isDoubtful) && !again) return { kind: "store_unknown" };
  const known = found?.isAgain === 1 ? undefined : compare(database, found, others, here, rule);
  if (known === "store_unknown") return { kind: "store_unknown" };
  if (known !== undefined && !rule.onlyNew && isMostlyKnown(known))
    return { kind: "already_added", known };
  const isNew = found === undefined || (again && found.isFinished === 1);
  const store = here.storeId ?? null;
  const record = isNew ? beginImport(database, place, { store, isAgain: again }) : found;
  if (again && !isNew) updateImport(database, record.id, "isAgain = 1");
  if (record.store === null && store !== null)
    updateImport(database, record.id, "store = ?", store);
  readyImport(database, record);
  if (known !== undefined) recordFound(database, record, rule);
  const isOtherStore = found === undefined && !again && own.some(hasRecords);
  return { kind: "ready", record: readImport(database, record.id), known, isOtherStore };
}

/** Compares the rows with what imports at the store that answers added; undefined if none is known. */
function compare(
  database: ImportDatabase,
  own: ImportRecord | undefined,
  others: readonly ImportRecord[],
  here: Here,
  { resume, onlyNew }: SendRule,
): KnownRows | "store_unknown" | undefined {
  const compareAt = (least: 1 | 2): KnownRows | undefined => {
    const counted = others.filter((each) => confidence(each, here) >= least);
    return compareRows(database, own, counted);
  };
  if (resume) return compareAt(1);
  const possible = here.storeId === undefined ? compareAt(1) : undefined;
  const sure = compareAt(2);
  const isDoubtful = onlyNew
    ? countOf(possible) > countOf(sure)
    : isMostlyKnown(possible) && !isMostlyKnown(sure);
  return isDoubtful ? "store_unknown" : sure;
}
