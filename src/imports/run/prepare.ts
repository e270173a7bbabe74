import { compareRows, findEarlierRows, isProbablyAdded, recordFound } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  importsOfInput,
  type NewImport,
  readImport,
  readyImport,
  sweepForgotten,
} from "../database/import-records.ts";
import type { SendRule } from "../types.ts";
import { lockStart, runningInputs } from "./input-lock.ts";
import { hasRecords, isSameStore, selectImport } from "./store-identity.ts";

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
  const { input, address } = place;
  const { again = false, checkUnknown, onlyNew } = rule;
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
  const here = { storeId: asked?.storeId, address };
  const found = selectImport(own, here) ?? own.find((each) => !hasRecords(each));
  if (found === undefined && checkUnknown)
    return { kind: "never_imported", record: found } as const;
  const counted = found?.isAgain === 1 ? [] : others.filter((each) => isSameStore(each, here));
  const known = compareRows(database, found, counted);
  if (known !== undefined && !onlyNew && isProbablyAdded(known))
    return { kind: "already_added", known, record: found } as const;
  const isNew = found === undefined || (again && found.isFinished === 1);
  const opened = isNew ? beginImport(database, place) : found;
  const { id } = readyImport(database, opened, { store: here.storeId, isAgain: again });
  if (known !== undefined) recordFound(database, opened, rule);
  const isOtherStore = found === undefined && !again && own.some(hasRecords);
  return { kind: "ready", record: readImport(database, id), known, isOtherStore } as const;
}
