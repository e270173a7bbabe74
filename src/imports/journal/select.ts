import { storeSuffix } from "./open.ts";
import type { StoredJournal } from "./read.ts";

/** The store that answers, if it sends an id; undefined if it was not asked. */
export type StoreAnswer = { readonly storeId: string | undefined } | undefined;

/** Which journal of an input belongs to the store that answers. */
export type JournalChoice =
  | { readonly suffix: string | undefined; readonly journal: StoredJournal | undefined }
  | "store_unknown";

/** Returns whether a run would rely on what the journal says: it has rows, or the id of a store. */
export function hasRecords({ counts, storeId }: StoredJournal): boolean {
  const { sent, added, rejected, unknown, known } = counts;
  return storeId !== undefined || sent + added + rejected + unknown + known > 0;
}

/**
 * Returns the journal of the store that answers (contract.md, Bulk, Which store): the one with its id,
 * else one without any id, which it takes over, else a new one in addition to those of other stores. A store
 * without an id is identified by its base URL, if the key is the one that the run was started with.
 */
export function selectJournal(
  journals: readonly StoredJournal[],
  answer: StoreAnswer,
  key: string,
): JournalChoice {
  const first = journals.find(({ suffix }) => suffix === undefined);
  const unnamed = journals.find(({ storeId }) => storeId === undefined);
  if (answer === undefined) return choose(first);
  if (answer.storeId !== undefined) {
    const { storeId } = answer;
    const own = journals.find((each) => each.storeId === storeId) ?? unnamed;
    if (own !== undefined || first === undefined) return choose(own);
    return { suffix: storeSuffix(storeId), journal: undefined };
  }
  if (unnamed !== undefined)
    return unnamed.key === key || !hasRecords(unnamed) ? choose(unnamed) : "store_unknown";
  return journals.some(hasRecords) ? "store_unknown" : choose(first);
}

/** Returns the journal to continue although the store is unknown (`--resume`), or to send everything again in (`--again`). */
export function selectUnconfirmed(
  journals: readonly StoredJournal[],
  again: boolean,
): Exclude<JournalChoice, string> {
  const unnamed = journals.find(({ storeId }) => storeId === undefined);
  if (unnamed !== undefined) return choose(unnamed);
  if (again) return { suffix: storeSuffix(undefined), journal: undefined };
  return choose(journals.toSorted((a, b) => b.modifiedAt - a.modifiedAt)[0]);
}

function choose(journal: StoredJournal | undefined): Exclude<JournalChoice, string> {
  return { suffix: journal?.suffix, journal };
}
