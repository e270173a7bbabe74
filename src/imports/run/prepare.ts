import { hash } from "node:crypto";
import { compareRows, hasEarlierRows, leaveOutFound } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  countStarts,
  hasRecords,
  importsOfInput,
  isFinished,
  type NewImport,
  readImport,
  removeImports,
  startImport,
  unreadyImports,
} from "../database/import-records.ts";
import { runningInputs } from "./locks.ts";

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

export interface SendRule {
  readonly again?: boolean;
  readonly onlyNew?: boolean;
  readonly checkUnknown?: boolean;
}

/**
 * Finds the import of the staged input at the store with this id, or at its address if it sent none, and what other
 * imports added there. `isRefused`: something, so that nothing may be sent before the user decides.
 */
export function findRecorded(
  database: ImportDatabase,
  place: Place,
  { again, checkUnknown, onlyNew }: SendRule,
  storeId?: string,
  running: readonly string[] = [],
) {
  const rank = (store: string | null): number => (store === storeId ? 0 : store === null ? 1 : 2);
  const [own] = importsOfInput(database, place.input)
    .filter(({ store }) => storeId === undefined || rank(store) < 2)
    .toSorted((a, b) => rank(a.store) - rank(b.store));
  const isCompared = !again && !checkUnknown && own?.isAgain !== 1;
  const known = isCompared ? compareRows(database, own, place, storeId, running) : undefined;
  return { own, known, isRefused: known !== undefined && !onlyNew };
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
  const others = runningInputs(database.folder, input);
  const killed = unreadyImports(database).filter((each) => !others.includes(each.input));
  await removeImports(
    database,
    killed.map(({ id }) => id),
  );
  let asked: { readonly storeId: string | undefined } | undefined;
  let begun: number | undefined;
  for (;;) {
    const starts = countStarts(database);
    const running = runningInputs(database.folder, input);
    const isRecorded = importsOfInput(database, input).some(hasRecords);
    const isEarlier = (): boolean =>
      !again && !checkUnknown && hasEarlierRows(database, input, running);
    if (asked === undefined && (isRecorded || isEarlier())) {
      asked = { storeId: await askStore() };
      continue;
    }
    const store = asked?.storeId;
    const { own, known, isRefused } = findRecorded(database, place, rule, store, running);
    if (own === undefined && checkUnknown) return { kind: "never_imported", record: own } as const;
    if (known !== undefined && isRefused)
      return { kind: "already_added", known, record: own } as const;
    const isNew = own === undefined || (again && isFinished(own));
    if (isNew) begun ??= await beginImport(database, place);
    const id = isNew ? begun : own.id;
    const started = id && (await startImport(database, id, { store, isAgain: again, starts }));
    if (!started) continue;
    if (known !== undefined) await leaveOutFound(database, started);
    const isOtherStore = own === undefined && !again && isRecorded;
    const record = readImport(database, started.id);
    return { kind: "ready", record, known, isOtherStore } as const;
  }
}
