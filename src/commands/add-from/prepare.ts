import type { Journal, JournalOptions } from "../../imports/journal/journal.ts";
import {
  addressHash,
  lockInput,
  openLockedJournal,
  storeSuffix,
} from "../../imports/journal/open.ts";
import { type JournalRef, readJournals } from "../../imports/journal/read.ts";
import { hasRecords, type JournalChoice, selectJournal } from "../../imports/journal/select.ts";
import { selectUnconfirmed } from "../../imports/journal/select.ts";
import { removeForgotten } from "../../imports/known/earlier-runs.ts";
import { readRowsHeader, rowsFile, writeRowsFile } from "../../imports/known/rows-file.ts";
import type { ServiceConnection } from "../../config/types.ts";
import { limiterId } from "../../rate-limiter/log/files/segment-paths.ts";
import type { Context } from "../context.ts";
import { compareInput, type ComparedInput, nothingKnown } from "./compare-input.ts";
import type { OriginalCommand } from "./display/summary.ts";
import { journalRef, type ValidatedInput } from "./input.ts";
import { storeUnknown } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** What preparing a run needs. */
export interface PrepareOptions {
  readonly input: ValidatedInput;
  readonly connection: ServiceConnection;
  readonly command: OriginalCommand;
  readonly limits: JournalOptions["limits"];
  /** Asks the service for the id of the store; returns undefined if it sends none. */
  readonly askStore: () => Promise<string | undefined>;
}

/** The locked journal of a run, and what was decided from the records of earlier runs. */
export interface PreparedRun {
  readonly journal: Journal;
  /** Opens the journal of the same input for another store. */
  readonly openOther: (storeId: string) => Journal;
  /** Lines for the user. */
  readonly notes: readonly string[];
}

/**
 * Finds out which store answers if earlier runs recorded anything to rely on, opens its journal, and
 * compares the input with what they added (contract.md, Bulk, Which store and Nothing twice across
 * files). Throws a usage Failure with the code `store_unknown` or `already_added`.
 */
export async function prepareRun(
  context: Context,
  options: FromOptions,
  given: PrepareOptions,
): Promise<PreparedRun> {
  const { input, connection, limits } = given;
  const ref = journalRef(context, input, connection.baseUrl);
  const key = limiterId(connection.baseUrl.origin, connection.apiKey);
  const openFor = (suffix: string | undefined, lock: Parameters<typeof openLockedJournal>[1]) =>
    openLockedJournal(
      { ...ref, key, input: input.name, limits, ...(suffix !== undefined && { suffix }) },
      lock,
    );
  const lock = lockInput(ref);
  let journal: Journal | undefined;
  try {
    removeForgotten({ folder: ref.folder, ownName: ref.name, now: context.clock.now() });
    const { suffix, restarts, storeId, compared } = await decide(context, options, given, {
      ref,
      key,
    });
    recordRows(ref, connection, input);
    journal = openFor(suffix, lock);
    if (storeId !== undefined && journal.storeId === undefined) journal.recordStore(storeId);
    if (restarts || (options.again && journal.isFinished)) journal.restart();
    if (options.again) journal.markRows(range(ref.rows), "accepted");
    else journal.markRows(compared.known, options.onlyNew ? "known" : "accepted");
    const openOther = (id: string): Journal => openFor(storeSuffix(id), noLock);
    return { journal, openOther, notes: compared.notes };
  } catch (error) {
    if (journal === undefined) lock.release();
    else journal.close();
    throw error;
  }
}

const noLock = { release(): void {} };

/** Writes the fingerprints by which later runs recognise the rows, unless an earlier run did. */
function recordRows(
  { folder, name, rows }: JournalRef,
  { baseUrl }: ServiceConnection,
  input: ValidatedInput,
): void {
  const file = rowsFile(folder, name);
  if (readRowsHeader(file)?.rows === rows) return;
  writeRowsFile(file, { address: addressHash(baseUrl), input: input.name }, input.fingerprints);
}

interface Decision extends Pick<Exclude<JournalChoice, string>, "suffix"> {
  /** Whether all rows are sent, whatever the journal says. */
  readonly restarts: boolean;
  /** The id of the store that answers, if it was asked and sent one. */
  readonly storeId: string | undefined;
  readonly compared: ComparedInput;
}

async function decide(
  context: Context,
  options: FromOptions,
  given: PrepareOptions,
  { ref, key }: { readonly ref: JournalRef; readonly key: string },
): Promise<Decision> {
  const { input, connection, command, askStore } = given;
  const { again, resume } = options;
  const own = readJournals(ref);
  const comparison =
    again || options.checkUnknown
      ? nothingKnown
      : compareInput(context, { ref, key, input, baseUrl: connection.baseUrl, command });
  const isPossible = comparison.isPossible();
  const mustAsk = isPossible || own.some(hasRecords);
  const answer = mustAsk ? { storeId: await askStore() } : undefined;
  const choice = selectJournal(own, answer, key);
  if (choice !== "store_unknown") {
    const compared = await comparison.finish(choice.journal, answer, options);
    return { suffix: choice.suffix, restarts: false, storeId: answer?.storeId, compared };
  }
  if (!again && !resume) throw storeUnknown(connection.baseUrl.host, command);
  const { suffix, journal } = selectUnconfirmed(own, again);
  const compared = await comparison.finish(journal, answer, options);
  return { suffix, restarts: again && journal !== undefined, storeId: undefined, compared };
}

function* range(count: number): Generator<number> {
  for (let number = 0; number < count; number += 1) yield number;
}
