import {
  compareRows,
  findEarlierRows,
  isMostlyKnown,
  type KnownRows,
  recordFound,
} from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  type ImportRecord,
  importsOfInput,
  type NewImport,
  readImport,
  readyImport,
  sweepForgotten,
} from "../database/import-records.ts";
import type { SendRule } from "../types.ts";
import { confidence, hasRecords, type Here, selectImport } from "./store-identity.ts";

/**
 * Finds out which store answers if earlier runs recorded anything to rely on, finds or begins the import
 * of the input there, and compares its rows with what other imports added. Its input must be locked. Returns
 * the import to go on with, or why nothing may be sent.
 */
export async function prepareImport(
  database: ImportDatabase,
  place: NewImport,
  rule: SendRule,
  askStore: () => Promise<string | undefined>,
) {
  const { input, address, key } = place;
  const { again, checkUnknown, onlyNew, resume } = rule;
  sweepForgotten(database);
  const own = importsOfInput(database, input);
  const others = again || checkUnknown ? [] : findEarlierRows(database, input);
  const isRelied = others.length > 0 || own.some(hasRecords);
  const here = { storeId: isRelied ? await askStore() : undefined, address, key };
  const found = selectImport(own, here, resume ? 1 : 2) ?? own.find((each) => !hasRecords(each));
  const isDoubtful = (each: ImportRecord): boolean =>
    hasRecords(each) && confidence(each, here) === 1;
  if (found === undefined && own.some(isDoubtful) && !again)
    return { kind: "store_unknown" } as const;
  const known = found?.isAgain === 1 ? undefined : compare(database, found, others, here, rule);
  if (known === "store_unknown") return { kind: known } as const;
  if (known !== undefined && !onlyNew && isMostlyKnown(known))
    return { kind: "already_added", known } as const;
  const isNew = found === undefined || (again && found.isFinished === 1);
  const opened = isNew ? beginImport(database, place) : found;
  const record = readyImport(database, opened, { store: here.storeId, isAgain: again });
  if (known !== undefined) recordFound(database, record, rule);
  const isOtherStore = found === undefined && !again && own.some(hasRecords);
  return { kind: "ready", record: readImport(database, record.id), known, isOtherStore } as const;
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
  const possible = compareAt(1);
  if (resume || possible === undefined || here.storeId !== undefined) return possible;
  const sure = compareAt(2);
  const isDoubtful = onlyNew
    ? possible.known > (sure?.known ?? 0)
    : isMostlyKnown(possible) && !(sure && isMostlyKnown(sure));
  return isDoubtful ? "store_unknown" : sure;
}
