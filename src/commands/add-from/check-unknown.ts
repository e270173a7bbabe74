import type { Journal } from "../../imports/journal/journal.ts";
import { addressHash } from "../../imports/journal/open.ts";
import {
  countEarlierRows,
  type EarlierRun,
  readAddedIds,
} from "../../imports/known/earlier-runs.ts";
import { Fingerprints } from "../../imports/known/fingerprints.ts";
import { RowIndex } from "../../imports/known/row-index.ts";
import { settle } from "../../imports/known/settle.ts";
import type { Row, RowState } from "../../imports/types.ts";
import type { PetsApi } from "../../client/types.ts";
import { petStatuses } from "../../core/enums.ts";
import { Failure } from "../../core/errors.ts";
import type { Pet } from "../../core/pet.ts";
import type { PetStatus } from "../../core/pet-rules.ts";
import type { Context } from "../context.ts";
import type { RunDisplay } from "./display/run-display.ts";
import { journalRef, type ValidatedInput } from "./input.ts";

/** What checking rows in doubt needs. */
export interface CheckOptions {
  readonly api: Pick<PetsApi, "list">;
  readonly input: ValidatedInput;
  readonly journal: Journal;
  readonly baseUrl: URL;
  readonly display: Pick<RunDisplay, "report">;
}

/** The error of a row that the lists neither contain nor rule out. */
const stillUnknown = new Failure(
  "outcome_unknown",
  "the lists do not show whether the animal was added",
  { retryable: false },
);

/**
 * Settles the rows in doubt by the store's lists, and reports those that were added or are still unknown;
 * the others are unsent again. Adds nothing (contract.md, Bulk, What may have been added).
 */
export async function checkUnknown(context: Context, options: CheckOptions): Promise<void> {
  const { api, input, journal, baseUrl, display } = options;
  const rows = await rowsInDoubt(input, journal);
  if (rows.length === 0) return context.note("No row of this input is unknown.");
  const lists = await readLists(api, rows);
  const ref = journalRef(context, input, baseUrl);
  const isSameStore = sameStore(journal, addressHash(baseUrl));
  const unaccounted = new Map(lists.pets.map((pet) => [pet.id, pet]));
  readAddedIds(ref.folder, isSameStore, (id) => unaccounted.delete(id));
  const place = { folder: ref.folder, ownName: ref.name, now: context.clock.now() };
  const othersInDoubt = countInDoubt(rows, (index) =>
    countEarlierRows(place, index, isSameStore, isInDoubt),
  );
  const { found, absent, unknown } = settle(rows, {
    unaccounted: [...unaccounted.values()],
    isWhole: lists.isWhole,
    othersInDoubt,
  });
  for (const { row, pet } of found) {
    journal.recordFound(row.index, pet.id);
    await display.report({ outcome: "added", row, pet });
  }
  for (const { index } of absent) journal.recordAbsent(index);
  for (const row of unknown)
    await display.report({ outcome: "unknown", row, failure: stillUnknown });
  if (journal.counts.unsent === 0) journal.finish();
}

const isInDoubt = (state: RowState): boolean => state === "sent" || state === "unknown";

async function rowsInDoubt(input: ValidatedInput, journal: Journal): Promise<readonly Row[]> {
  const { sent, unknown } = journal.counts;
  const rows: Row[] = [];
  if (sent + unknown === 0) return rows;
  for await (const batch of input.rows())
    rows.push(...batch.filter(({ index }) => isInDoubt(journal.state(index))));
  return rows;
}

/** Returns a predicate for runs that added to the store of `journal`, identified by `address` if it has no id. */
function sameStore({ storeId }: Journal, address: string) {
  return (run: Pick<EarlierRun, "storeId" | "address">): boolean =>
    storeId !== undefined && run.storeId !== undefined
      ? run.storeId === storeId
      : run.address === address;
}

/** Returns a function that counts the rows of other runs that equal a given row. */
function countInDoubt(
  rows: readonly Row[],
  count: (index: RowIndex) => unknown,
): (row: Row) => number {
  const fingerprints = new Fingerprints();
  for (const { pet } of rows) fingerprints.add(pet);
  const index = new RowIndex(fingerprints);
  count(index);
  const places = new Map(rows.map((row, place) => [row.index, place]));
  return (row) => index.countOf(places.get(row.index) ?? 0);
}

/** The maximum length of a list (api.md). */
const listLimit = 100;

/** Reads the list of all animals, and if that is incomplete, the lists that may contain more of the rows. */
async function readLists(api: Pick<PetsApi, "list">, rows: readonly Row[]) {
  const all = await api.list({ limit: listLimit });
  const isAllWhole = all.length < listLimit;
  const wanted = rows.some(({ pet }) => pet.status === undefined)
    ? petStatuses
    : petStatuses.filter((status) => rows.some(({ pet }) => pet.status === status));
  const pets: Pet[] = [...all];
  const whole = new Set<PetStatus>();
  for (const status of isAllWhole ? [] : wanted) {
    const list = await api.list({ limit: listLimit, status });
    pets.push(...list);
    if (list.length < listLimit) whole.add(status);
  }
  const isWhole = (status: PetStatus | undefined): boolean =>
    isAllWhole || (status !== undefined && whole.has(status));
  return { pets, isWhole };
}
