import { readdirSync } from "node:fs";
import path from "node:path";
import { usageFailure } from "../../core/errors.ts";
import { ensurePrivateFolder, removeIf } from "../../platform/private-files.ts";
import { type Lock, tryLock } from "../../platform/sqlite-lock.ts";
import {
  type Comparison,
  compareRows,
  findEarlierRows,
  type FoundRule,
  recordFound,
} from "../database/compare.ts";
import {
  acceptAll,
  beginImport,
  forgetOldImports,
  type ImportRecord,
  importsOfInput,
  listImports,
  prepareRows,
  readImport,
  recordStore,
} from "../database/import-records.ts";
import type { ImportDatabase } from "../database/open.ts";
import {
  confidence,
  hasRecords,
  type Here,
  selectImport,
  selectUnconfirmed,
  type StoreAnswer,
} from "./store-identity.ts";

/** Which import a run belongs to. */
export interface ImportPlace {
  readonly database: ImportDatabase;
  /** The program's state directory. */
  readonly state: string;
  /** `inputHash` and `addressHash`. */
  readonly input: string;
  readonly address: string;
  /** A hash of the API key. */
  readonly key: string;
  /** Host and port, and the name of the input, for people. */
  readonly host: string;
  readonly name: string;
  readonly rows: number;
  readonly now: number;
}

/** What the user decided. */
export interface PrepareRule extends FoundRule {
  readonly again: boolean;
  readonly resume: boolean;
  /** Whether nothing is sent, so that nothing is compared. */
  readonly checkUnknown: boolean;
}

/** The rows that other imports added, or may have. */
export interface KnownRows extends Comparison {
  /** The import that has the most of them. */
  readonly by: Pick<ImportRecord, "name" | "active">;
}

/** What may be done: the import to go on with, or why nothing may be sent. */
export type Preparation =
  | { readonly kind: "ready"; readonly record: ImportRecord; readonly known: KnownRows | undefined }
  | { readonly kind: "store_unknown" }
  | { readonly kind: "already_added"; readonly known: KnownRows };

/**
 * Finds out which store answers if earlier runs recorded anything to rely on, finds or begins the import
 * of the input there, and compares its rows with what other imports added. Its input must be locked.
 */
export async function prepareImport(
  place: ImportPlace,
  rule: PrepareRule,
  askStore: () => Promise<string | undefined>,
): Promise<Preparation> {
  const { database, input, key } = place;
  forgetOldImports(database, place.now, (record) => record.input === input);
  const own = importsOfInput(database, input);
  if (own.length === 0 && !rule.again) refuseOldJournal(place);
  const isCompared = !rule.again && !rule.checkUnknown;
  const others = isCompared ? findEarlierRows(database, input, place.now) : [];
  const mustAsk = others.length > 0 || own.some(hasRecords);
  const answer = mustAsk ? { storeId: await askStore() } : undefined;
  const choice = selectImport(own, answer, key);
  if (choice === "store_unknown" && !rule.again && !rule.resume) return { kind: "store_unknown" };
  const isUnconfirmed = choice === "store_unknown";
  const found = isUnconfirmed ? (rule.again ? undefined : selectUnconfirmed(own)) : choice.record;
  const known =
    found?.isAgain === true ? undefined : compare(place, rule, { found, others, answer });
  if (known === "store_unknown") return { kind: "store_unknown" };
  if (known !== undefined && !rule.onlyNew && isMostlyKnown(known))
    return { kind: "already_added", known };
  const isNew = found === undefined || (rule.again && found.isFinished);
  const record = isNew
    ? beginAt(place, isUnconfirmed ? undefined : answer?.storeId, rule.again)
    : found;
  if (rule.again && !isNew) acceptAll(database, record.id);
  if (record.store === undefined && answer?.storeId !== undefined)
    recordStore(database, record.id, answer.storeId);
  prepareRows(database, record);
  if (known !== undefined) recordFound(database, record, rule);
  return { kind: "ready", record: readImport(database, record.id), known };
}

/** Begins an import at `place`, for the store with this id. */
export function beginAt(
  place: ImportPlace,
  store: string | undefined,
  isAgain: boolean,
): ImportRecord {
  const { database, input, name, address, host, key, rows, now } = place;
  return beginImport(database, {
    input,
    name,
    address,
    host,
    store,
    key,
    rows,
    started: now,
    isAgain,
  });
}

/** Returns whether so many rows are known that the input was probably added before. */
export function isMostlyKnown({ known, changed, compared }: Comparison): boolean {
  return known + changed >= 2 && (known + changed) * 2 >= compared;
}

/** Compares the rows with what imports at the store that answers added; undefined if none is known. */
function compare(
  place: ImportPlace,
  rule: PrepareRule,
  {
    found,
    others,
    answer,
  }: {
    readonly found: ImportRecord | undefined;
    readonly others: readonly number[];
    readonly answer: StoreAnswer;
  },
): KnownRows | "store_unknown" | undefined {
  const { database, address, key } = place;
  if (others.length === 0 || answer === undefined) return undefined;
  const here: Here = { storeId: answer.storeId, address, key };
  const records = listImports(database).filter(({ id }) => others.includes(id));
  const compareAt = (least: 1 | 2): Comparison => {
    const counted = records.filter((each) => confidence(each, here) >= least).map(({ id }) => id);
    return compareRows(database, found, counted);
  };
  if (answer.storeId === undefined && !rule.resume) {
    const [possible, sure] = [compareAt(1), compareAt(2)];
    const isDoubtful = rule.onlyNew
      ? possible.known + possible.changed > sure.known + sure.changed
      : isMostlyKnown(possible) && !isMostlyKnown(sure);
    if (isDoubtful) return "store_unknown";
  }
  return knownOf(compareAt(rule.resume ? 1 : 2), records);
}

/** Returns a comparison with the import that has the most rows in common; undefined without any. */
export function knownOf(
  comparison: Comparison,
  records: readonly ImportRecord[],
): KnownRows | undefined {
  const by = records.find(({ id }) => id === comparison.best);
  return by && { ...comparison, by };
}

/** Locks an input at its base URL until the process ends. Throws a usage Failure if another run has it. */
export function lockInput(
  state: string,
  { input, name }: Pick<ImportRecord, "input" | "name">,
): Lock {
  const file = lockFile(state, input);
  ensurePrivateFolder(path.dirname(file));
  const lock = tryLock(file);
  if (lock === undefined)
    throw usageFailure(
      `another run of this input is in progress (${name})`,
      "Run the command again when it has finished.",
    );
  return {
    release() {
      removeIf(file, () => true);
      lock.release();
    },
  };
}

/** Returns whether a process is sending the input of an import. */
export function isRunning(state: string, { input }: Pick<ImportRecord, "input">): boolean {
  const file = lockFile(state, input);
  const lock = tryLock(file);
  if (lock === undefined) return true;
  removeIf(file, () => true);
  lock.release();
  return false;
}

const lockFile = (state: string, input: string): string =>
  path.join(state, "imports", `${input}.lock`);

/** Throws a usage Failure if an earlier build has recorded this input in a journal, which is not read. */
export function refuseOldJournal({ state, input }: Pick<ImportPlace, "state" | "input">): void {
  const folder = path.join(state, "bulk");
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  const journal = names.find((each) => each.startsWith(input) && each.endsWith(".journal"));
  if (journal === undefined) return;
  throw usageFailure(
    `an earlier version of pets recorded this input in ${path.join(folder, journal)}, which this version cannot read`,
    "Nothing was sent; its animals may have been added. Use --again to send all of them.",
  );
}
