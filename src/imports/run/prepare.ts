import {
  compareRows,
  findEarlierRows,
  isProbablyAdded,
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
import { lockStart, runningInputs } from "./input-lock.ts";
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
  steps: {
    /** Returns the id of the store that answers, if it tells it. */
    readonly askStore: () => Promise<string | undefined>;
    /** Waits a little while another import is prepared; rejects when the command is stopped. */
    readonly wait: () => Promise<void>;
  },
) {
  let asked: { readonly storeId: string | undefined } | undefined;
  for (;;) {
    const prepared = prepareAt(database, place, rule, asked);
    if (prepared === "unasked") asked = { storeId: await steps.askStore() };
    else if (prepared === "busy") await steps.wait();
    else return prepared;
  }
}

/** Prepares an import at the store that was `asked`, as it must be if anything is recorded to rely on. */
function prepareAt(
  database: ImportDatabase,
  place: NewImport,
  rule: SendRule,
  asked: { readonly storeId: string | undefined } | undefined,
) {
  const { input, address, key } = place;
  const { again, checkUnknown, onlyNew, resume } = rule;
  // Of two imports that start with the same rows, the second finds those of the first.
  using start = lockStart(database.folder);
  if (start === undefined) return "busy";
  sweepForgotten(database);
  const own = importsOfInput(database, input);
  const running = runningInputs(database.folder, input);
  // Until the store is asked, one row is enough to know that it must be.
  const limit = asked === undefined ? 1 : -1;
  const others = again || checkUnknown ? [] : findEarlierRows(database, input, running, limit);
  if (asked === undefined && (others.length > 0 || own.some(hasRecords))) return "unasked";
  const here = { storeId: asked?.storeId, address, key };
  const found = selectImport(own, here, resume ? 1 : 2) ?? own.find((each) => !hasRecords(each));
  const isDoubtful = (each: ImportRecord): boolean =>
    hasRecords(each) && confidence(each, here) === 1;
  if (found === undefined && own.some(isDoubtful) && !again)
    return { kind: "store_unknown" } as const;
  if (found === undefined && checkUnknown)
    return { kind: "never_imported", record: found } as const;
  const known = found?.isAgain === 1 ? undefined : compare(database, found, others, here, rule);
  if (known === "store_unknown") return { kind: known } as const;
  if (known !== undefined && !onlyNew && isProbablyAdded(known))
    return { kind: "already_added", known, record: found } as const;
  const isNew = found === undefined || (again && found.isFinished === 1);
  const opened = isNew ? beginImport(database, place) : found;
  const { id } = readyImport(database, opened, { store: here.storeId, isAgain: again });
  if (known !== undefined) recordFound(database, opened, rule);
  const isOtherStore = found === undefined && !again && own.some(hasRecords);
  return { kind: "ready", record: readImport(database, id), known, isOtherStore } as const;
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
    : isProbablyAdded(possible) && !(sure && isProbablyAdded(sure));
  return isDoubtful ? "store_unknown" : sure;
}
