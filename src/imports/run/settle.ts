import type { PetsApi } from "../../client/pets-client.ts";
import { petStatuses } from "../../core/enums.ts";
import { newPetFieldNames, type PetStatus, petText } from "../../core/pet-fields.ts";
import type { NewPet, Pet } from "../../core/pet.ts";
import { isSameStore } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import { petFingerprint } from "../database/fingerprint.ts";
import { readImport } from "../database/import-records.ts";
import type { Row } from "../types.ts";
import { rowsIn, type RunParts, unknownEnd } from "./run-rows.ts";

export interface CheckParts extends Pick<RunParts, "batches" | "run" | "report"> {
  readonly api: Pick<PetsApi, "list">;
  readonly database: ImportDatabase;
}

/** So long may a slow service take to add an animal. */
const maxDelayMs = 60_000;

/**
 * Settles the unknown rows by the store's lists, and reports those that were added or stay unknown; the others are unsent
 * again. Returns how many were unknown, how many of them may still be added, and until when (in ms since the epoch).
 */
export async function checkUnknown(parts: CheckParts) {
  const { run, report, database } = parts;
  if (run.counts.unknown === 0) return { unknown: 0, pending: 0, settledAt: 0 };
  const rows = await Array.fromAsync(rowsIn(["unknown"], parts), ({ row }) => row);
  const { id } = run.record;
  // A clock that was set back makes no wait longer.
  const earlier = "UPDATE imports SET active = min(active, ?) WHERE id = ?";
  await database.transact(() => database.run(earlier, run.clock.now(), id));
  const isSettled = run.clock.now() - readImport(database, id).active >= maxDelayMs;
  const settled = settle(rows, await viewStore(parts, rows));
  const absent = settled.filter(({ isAbsent }) => isAbsent);
  if (isSettled)
    await Promise.all(
      absent.map(({ row }) => run.recordChange({ row, from: "unknown", to: "unsent" })),
    );
  for (const { row, pet, isAbsent } of settled) {
    if (isAbsent && isSettled) continue;
    const end = pet && ({ outcome: "added", row, pet } as const);
    if (end !== undefined) await run.recordEnd(end, "unknown");
    await report(end ?? unknownEnd(row, "the lists do not show whether the animal was added"));
  }
  const { active } = readImport(database, id);
  return {
    unknown: rows.length,
    pending: isSettled ? 0 : absent.length,
    settledAt: active + maxDelayMs,
  };
}

const listLimit = 100;

type StoreView = Awaited<ReturnType<typeof viewStore>>;

/** Reads the list of all animals, and if that is incomplete, those by status that may have more of the rows. */
async function viewStore({ api, database, run }: CheckParts, rows: readonly Row[]) {
  const { record } = run;
  const pets = [...(await api.list({ limit: listLimit }))];
  const isAllWhole = pets.length < listLimit;
  const statuses = new Set(rows.map(({ pet }) => pet.status));
  const isWanted = (status: PetStatus): boolean =>
    !isAllWhole && (statuses.has(undefined) || statuses.has(status));
  const whole = new Set<PetStatus | undefined>();
  for (const status of petStatuses.filter(isWanted)) {
    const list = await api.list({ limit: listLimit, status });
    pets.push(...list);
    if (list.length < listLimit) whole.add(status);
  }
  const { store, address, id } = record;
  const left = new Map(pets.map((pet) => [pet.id, pet]));
  const accounted = `SELECT CAST(r.id AS TEXT) AS id FROM imports i JOIN rows r ON r.import = i.id
    WHERE ${isSameStore} AND r.id IN (SELECT value FROM json_each(?)) AND r.state = 'added'`;
  const listed = `[${[...left.keys()].join(",")}]`;
  for (const row of database.all<{ id: string }>(accounted, store, address, listed))
    left.delete(BigInt(row.id));
  return {
    /** The animals of all lists that no record accounts for, each once. */
    unaccounted: [...left.values()],
    /** Returns whether a list that would contain an animal with this status, or without one, is complete. */
    isWhole: (status?: PetStatus): boolean => isAllWhole || whole.has(status),
    /** Returns how many equal rows of other imports may have been added. */
    othersInDoubt({ pet }: Row): number {
      const query = `SELECT 1 FROM prints p JOIN rows r USING (import, number) JOIN imports i ON i.id = import
        WHERE p.print = ? AND r.status = ? AND import <> ? AND ${isSameStore} AND r.state IN ('sent', 'unknown')`;
      return database.all(query, petFingerprint(pet), pet.status ?? "", id, store, address).length;
    },
  };
}

/**
 * Settles rows by what the store shows (`help import`), in their order. A row has a `pet` if there are as many equal
 * animals that no record accounts for; without a status it is compared without, as the service may have given it one.
 */
export function settle(rows: readonly Row[], view: StoreView) {
  const taken = new Set<bigint>();
  const settleEqual = (equal: readonly Row[]) => {
    const [first] = equal;
    if (first === undefined) return [];
    const pets = view.unaccounted.filter((pet) => !taken.has(pet.id) && matches(first.pet, pet));
    const found = pets.slice(0, Math.max(0, pets.length - view.othersInDoubt(first)));
    for (const { id } of found.slice(0, equal.length)) taken.add(id);
    const isWhole = view.isWhole(first.pet.status);
    return equal.map((row, i) => ({ row, pet: found[i], isAbsent: isWhole && i >= pets.length }));
  };
  // Rows with a status first, as fewer animals match them.
  const sorted = rows.toSorted((a, b) => Number(!a.pet.status) - Number(!b.pet.status));
  const groups = Map.groupBy(sorted, ({ pet }) => petText(pet));
  const settled = [...groups.values()].flatMap(settleEqual);
  return settled.sort((a, b) => a.row.index - b.row.index);
}

function matches(row: NewPet, pet: Pet): boolean {
  return newPetFieldNames.every((field) => row[field] === undefined || row[field] === pet[field]);
}
