import { hash } from "node:crypto";
import { compareRows, hasEarlierRows, leaveOutFound } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import {
  beginImport,
  hasRecords,
  importsOfInput,
  isFinished,
  type NewImport,
  readImport,
  readyImport,
} from "../database/import-records.ts";
import { lockStart, runningInputs } from "./input-lock.ts";

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
 * Finds or begins the import of a locked input at the store that responds, which is asked if earlier runs recorded
 * anything to rely on. Returns the import, or why nothing may be sent.
 */
export async function prepareImport(
  database: ImportDatabase,
  place: NewImport,
  rule: SendRule,
  steps: {
    /** Returns the id of the store that responds, if it tells it. */
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

function prepareAt(
  database: ImportDatabase,
  place: NewImport,
  rule: SendRule,
  asked: { readonly storeId: string | undefined } | undefined,
) {
  const { again = false, checkUnknown } = rule;
  // Of two imports that start with the same rows, the second finds those of the first.
  using start = lockStart(database.folder);
  if (start === undefined) return "busy";
  const isRecorded = importsOfInput(database, place.input).some(hasRecords);
  const running = runningInputs(database.folder, place.input);
  const isEarlier = (): boolean =>
    !again && !checkUnknown && hasEarlierRows(database, place.input, running);
  if (asked === undefined && (isRecorded || isEarlier())) return "unasked";
  const store = asked?.storeId;
  const { own, known, isRefused } = findRecorded(database, place, rule, store, running);
  if (own === undefined && checkUnknown) return { kind: "never_imported", record: own } as const;
  if (known !== undefined && isRefused)
    return { kind: "already_added", known, record: own } as const;
  const isNew = own === undefined || (again && isFinished(own));
  const opened = isNew ? beginImport(database, place) : own;
  readyImport(database, opened, { store, isAgain: again });
  if (known !== undefined) leaveOutFound(database, opened, known);
  const isOtherStore = own === undefined && !again && isRecorded;
  return { kind: "ready", record: readImport(database, opened.id), known, isOtherStore } as const;
}
