import { hash } from "node:crypto";
import { compareRows, coverRows, hasEarlierRows, rowsWithOtherKeys } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  countStarts,
  hasRecords,
  type ImportRecord,
  importsOfInput,
  isFinished,
  isUntouched,
  type NewImport,
  readImport,
  removeImports,
  startImport,
  unreadyImports,
} from "../database/import-records.ts";
import { findRunning, removeStaleLocks, tryInput } from "./locks.ts";

type Place = Pick<NewImport, "input" | "address">;

/** Returns hashes of an input at a service: `content` is one of what it says, and how it is read. */
export function importPlace(content: string, baseUrl: URL): Place {
  const base = baseUrl.origin + baseUrl.pathname.replace(/\/+$/, "");
  return {
    input: hashOf(`pets input\n${content}\n${base}`),
    address: hashOf(`pets address\n${base}`),
  };
}

const hashOf = (text: string): string => hash("sha256", text).slice(0, 32);

/** What is said of one run, and kept nowhere. */
export interface SendRule {
  readonly again?: boolean;
  readonly onlyNew?: boolean;
  readonly checkUnknown?: boolean;
  readonly retryUnknown?: boolean;
}

/**
 * Finds the import of the staged input at the store with this id, or at its address if it sent none, and what other
 * imports added there. `isRefused`: some rows, or they have other keys: nothing may be sent before the user decides.
 */
export function findRecorded(
  database: ImportDatabase,
  { input, address }: Place,
  { again, checkUnknown, onlyNew }: SendRule,
  storeId?: string,
  imports = importsOfInput(database, input),
) {
  const own = importAt(imports, storeId);
  const isDone = own !== undefined && isFinished(own) && own.unknown === 0;
  const isCompared = !again && !checkUnknown && !isDone;
  if (!isCompared) return { own, isCompared, isRefused: false };
  const compared = compareRows(database, own, address, storeId);
  const others = own === undefined || isUntouched(own) ? rowsWithOtherKeys(database) : undefined;
  const isRefused = others !== undefined || (!onlyNew && (compared?.news ?? 0) > 0);
  return { own, isCompared, known: others ?? compared, isRefused };
}

/** Returns which of an input's imports is that at the store with this id, or of which no store is known. */
export function importAt(
  imports: readonly ImportRecord[],
  storeId: string | undefined,
): ImportRecord | undefined {
  const rank = (store: string | null): number => (store === storeId ? 0 : store === null ? 1 : 2);
  return imports
    .filter(({ store }) => storeId === undefined || rank(store) < 2)
    .toSorted((a, b) => rank(a.store) - rank(b.store))[0];
}

/**
 * Finds or begins the import of a locked input at the store that responds, which is asked by `askStore` if earlier runs
 * recorded anything to rely on. Returns the import, or why nothing may be sent. Of two imports that start with the same
 * rows, the second finds those of the first: it compares them again if another one started meanwhile.
 */
export async function prepareImport(
  database: ImportDatabase,
  place: NewImport,
  rule: SendRule,
  askStore: () => Promise<string | undefined>,
) {
  const { again = false, checkUnknown } = rule;
  const { input } = place;
  let asked: { readonly storeId: string | undefined } | undefined;
  let begun: number | undefined;
  for (;;) {
    const starts = countStarts(database);
    findRunning(database, input);
    const imports = importsOfInput(database, input);
    const isRecorded = imports.some(hasRecords);
    const isEarlier = (): boolean => !again && !checkUnknown && hasEarlierRows(database);
    if (asked === undefined && (isRecorded || isEarlier())) {
      asked = { storeId: await askStore() };
      continue;
    }
    const store = asked?.storeId;
    const found = findRecorded(database, place, rule, store, imports);
    const { own, known } = found;
    if (own === undefined && checkUnknown) return { kind: "never_imported", record: own } as const;
    if (known && found.isRefused) return { kind: "refused", known, record: own } as const;
    const isNew = own === undefined || (again && isFinished(own));
    if (isNew) begun ??= await beginImport(database, place);
    const id = isNew ? begun : own.id;
    if (id === undefined || !(await startImport(database, id, { store, starts }))) continue;
    await removeAbandoned(database, input);
    removeStaleLocks(database.folder, place.started - staleMs);
    if (!checkUnknown) await coverRows(database, id, known !== undefined, rule);
    const isOtherStore = own === undefined && !again && isRecorded;
    const record = readImport(database, id);
    return { kind: "ready", record, known, isOtherStore } as const;
  }
}

/** A lock's file that nobody has touched for so long is removed. */
const staleMs = 2 * 24 * 60 * 60_000;

/** Removes what killed processes left of imports that they were beginning or removing; those of `own` are locked. */
async function removeAbandoned(database: ImportDatabase, own: string): Promise<void> {
  for (const { id, input } of unreadyImports(database)) {
    using lock = input === own ? undefined : tryInput(database.folder, input);
    const isOurs = input === own || lock !== undefined;
    // It may have been started, or removed, before this process had the lock.
    if (isOurs && unreadyImports(database).some((each) => each.id === id))
      await removeImports(database, [id]);
  }
}
