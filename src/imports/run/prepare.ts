import { hash } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import { orIoFailure, usageFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, removeIf } from "../../platform/private-files.ts";
import { tryLock } from "../../platform/sqlite-lock.ts";
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

/** Locks inputs, to send or forget them, until disposed. Throws a usage Failure if another process has one of them. */
export function lockInputs(
  state: string,
  inputs: readonly Pick<NewImport, "input" | "name">[],
  isForgetting = false,
): Disposable {
  const locks = new Map<string, Disposable>();
  const release = (): void => {
    for (const lock of locks.values()) lock[Symbol.dispose]();
  };
  for (const { input, name } of inputs) {
    const lock = locks.get(input) ?? tryInput(state, input);
    if (lock === undefined) {
      release();
      const how = isLocked(state, forgetLock(input)) ? "forgotten" : "imported";
      throw usageFailure(
        `${name} is being ${how} by another process`,
        "Run the command again when that has finished.",
      );
    }
    locks.set(input, lock);
    const forgetting = isForgetting ? tryInput(state, forgetLock(input)) : undefined;
    if (forgetting !== undefined) locks.set(forgetLock(input), forgetting);
  }
  return { [Symbol.dispose]: release };
}

const forgetLock = (input: string): string => `${input}.forget`;

/** Returns the inputs that other processes have, and removes the locks that killed ones left. */
export function runningInputs(state: string, own: string): readonly string[] {
  const inputs = readdirSync(lockFolder(state)).flatMap(
    (name) => /^([0-9a-f]{32})\.lock$/.exec(name)?.[1] ?? [],
  );
  return inputs.filter((input) => input !== own && isLocked(state, input));
}

function isLocked(state: string, input: string): boolean {
  try {
    using lock = tryInput(state, input, 0);
    return lock === undefined;
  } catch {
    // It belongs to another user.
    return false;
  }
}

function tryInput(state: string, input: string, timeoutMs?: number): Disposable | undefined {
  const file = path.join(lockFolder(state), `${input}.lock`);
  const lock = orIoFailure(
    `cannot lock ${file}`,
    () => tryLock(file, timeoutMs),
    "If it is damaged, remove it.",
  );
  const release = (): void => {
    removeIf(file, () => true);
    lock?.release();
  };
  return lock && { [Symbol.dispose]: release };
}

function lockFolder(state: string): string {
  const folder = path.join(state, "imports");
  ensurePrivateFolder(folder);
  return folder;
}
