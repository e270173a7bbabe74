import type { PetsApi } from "../../client/pets-client.ts";
import { pageSize } from "../../core/api.ts";
import { petStatuses } from "../../core/enums.ts";
import { Failure } from "../../core/errors.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import type { Pet } from "../../core/pet.ts";
import { isAtStore } from "../database/compare.ts";
import type { ImportDatabase } from "../database/database.ts";
import { fingerprint } from "../database/fingerprint.ts";
import { type ImportRecord, updateRow } from "../database/import-records.ts";
import type { RunClock } from "./import-run.ts";

/** So long may a slow service take to add an animal. */
const maxDelayMs = 60_000;

export interface SettleParts {
  readonly api: Pick<PetsApi, "list">;
  readonly database: ImportDatabase;
  readonly time: RunClock & { readonly machine: { readonly tickMs: number } };
  /** Returns the id of the store that responded last, if it told it. */
  readonly storeId: () => string | undefined;
}

/**
 * Settles the unknown rows of imports of one store, which are locked, by its lists (`help import`): each was added, or is
 * unsent again, or stays unknown. Returns the rows that were added, with their animals, how many the service may still be
 * adding, and until when, in ms since the epoch.
 */
export async function settleUnknown(
  { api, database, time, storeId }: SettleParts,
  imports: readonly ImportRecord[],
) {
  const ages = new Map(imports.map((each) => [each.id, sentMsAgo(each, time)]));
  const view = await readLists(api, database, imports);
  const { store = null, address, host } = { ...imports[0], store: storeId() };
  if (imports.some((each) => store !== null && each.store !== null && each.store !== store))
    throw new Failure("service", `another store responded at ${host}`, { retryable: true });
  return database.transact(() => {
    const { added, open } = matchAnimals(database, view.pets, imports, [store, address ?? ""]);
    for (const { row, pet } of added)
      database.change(updateRow, "added", pet.id, null, null, row.import, row.number, "sent");
    for (const { id } of imports) database.change(takeOver, store, id);
    let [pending, settledAt] = [0, 0];
    for (const { id } of imports) {
      const numbers = open.get(id)?.map(({ row }) => row.number) ?? [];
      const values = [id, JSON.stringify(view.complete), JSON.stringify(numbers)] as const;
      const leftMs = maxDelayMs - (ages.get(id) ?? 0);
      if (leftMs <= 0) database.run(`${removeEnd} ${isAbsent}`, ...values);
      const [{ count } = { count: 0 }] = database.all<{ count: number }>(
        `SELECT count(*) AS count FROM rows ${isAbsent}`,
        ...values,
      );
      pending += count;
      if (count > 0) settledAt = Math.max(settledAt, time.clock.now() + leftMs);
    }
    return { added, pending, settledAt };
  });
}

const takeOver = "UPDATE imports SET store = coalesce(store, ?) WHERE id = ?";
const removeEnd = "UPDATE rows SET state = 'unsent', code = NULL, error = NULL";
/** Of an import, rows whose status is one of which the list is complete, but those that an animal there may be. */
const isAbsent = `WHERE import = ? AND state = 'sent' AND status IN (SELECT value FROM json_each(?))
  AND number NOT IN (SELECT value FROM json_each(?))`;

/** Returns how long ago, in ms, an import sent its last row, at least: by the uptime, unless the machine was restarted. */
function sentMsAgo(
  { boot, sentAt, active }: ImportRecord,
  { clock, machine }: SettleParts["time"],
): number {
  const [uptime, byClock] = [machine.uptime(), clock.now() - active];
  if (boot === machine.bootId() && uptime >= sentAt && sentAt > 0)
    return uptime - sentAt - machine.tickMs;
  return byClock < 0 ? uptime : Math.min(uptime, byClock);
}

/** Reads the list of all animals, and if that is incomplete, those by status that may have more of the rows. */
async function readLists(
  api: SettleParts["api"],
  database: ImportDatabase,
  imports: readonly ImportRecord[],
) {
  const all = await api.list({ limit: pageSize.max });
  const pets = new Map(all.map((pet) => [pet.id, pet]));
  if (all.length < pageSize.max) return { pets, complete: ["", ...petStatuses] };
  const complete: string[] = [];
  const ids = imports.map(({ id }) => id).join();
  const wanted = `SELECT DISTINCT status FROM rows WHERE import IN (${ids}) AND state = 'sent'`;
  const statuses = new Set(database.all<{ status: string }>(wanted).map(({ status }) => status));
  const isWanted = (status: PetStatus): boolean => statuses.has("") || statuses.has(status);
  for (const status of petStatuses.filter(isWanted)) {
    const list = await api.list({ limit: pageSize.max, status });
    for (const pet of list) pets.set(pet.id, pet);
    if (list.length < pageSize.max) complete.push(status);
  }
  return { pets, complete };
}

/** A row that may have been added; `isOwn`: its import is being settled. */
interface DoubtfulRow {
  readonly import: number;
  readonly number: number;
  readonly status: string;
  readonly isOwn: 0 | 1;
}

/** Returns which rows were added, as which animal, and the numbers of those, by import, of which the lists do not tell. */
function matchAnimals(
  database: ImportDatabase,
  listed: ReadonlyMap<bigint, Pet>,
  imports: readonly ImportRecord[],
  store: readonly [id: string | null, address: string],
) {
  const unaccounted = new Map(listed);
  const accounted = `SELECT CAST(r.id AS TEXT) AS id FROM imports i JOIN rows r ON r.import = i.id
    WHERE ${isAtStore} AND r.id IN (SELECT value FROM json_each(?)) AND r.state = 'added'`;
  const ids = `[${[...listed.keys()].join()}]`;
  for (const { id } of database.all<{ id: string }>(accounted, ...store, ids))
    unaccounted.delete(BigInt(id));
  const own = imports.map(({ id }) => id).join();
  const doubtful = `SELECT r.import, r.number, r.status, r.import IN (${own}) AS isOwn
    FROM prints p JOIN rows r USING (import, number) JOIN imports i ON i.id = r.import
    WHERE p.print IN (SELECT unhex(value) FROM json_each(?)) AND ${isAtStore} AND r.state = 'sent'`;
  const groups = Map.groupBy(unaccounted.values(), (pet) => printsOf(pet)[0]);
  const matched = [...groups.values()].flatMap((pets) => {
    const prints = JSON.stringify(pets.flatMap(printsOf));
    return matchEqual(database.all<DoubtfulRow>(doubtful, prints, ...store), pets);
  });
  const added = matched.flatMap(({ row, pet }) => (pet === undefined ? [] : [{ row, pet }]));
  const open = Map.groupBy(
    matched.filter(({ pet }) => pet === undefined),
    ({ row }) => row.import,
  );
  return { added, open };
}

/** Returns what is recorded of an animal, in hexadecimal: first as it is now, then as version 5 recorded it. */
function printsOf(pet: Pet): readonly string[] {
  const { print, old } = fingerprint(pet);
  return [print, old?.print ?? print].map((each) => Buffer.from(each).toString("hex"));
}

/**
 * Matches rows with animals of the same name and category. A row is added if there are as many animals that it may be as
 * there are rows that may be them; without a status it may be any of them, as the service may have given it one. Returns
 * the own rows that were added, and those of which that is not known.
 */
export function matchEqual(rows: readonly DoubtfulRow[], pets: readonly Pet[]) {
  const left = new Set(pets);
  const claims = rows.filter(({ isOwn }) => !isOwn).map(({ status }) => status);
  // Rows with a status first, as fewer animals match them.
  const own = rows
    .filter(({ isOwn }) => isOwn)
    .toSorted((a, b) => Number(a.status === "") - Number(b.status === ""));
  return [...Map.groupBy(own, ({ status }) => status)].flatMap(([status, equal]) => {
    const fitting = [...left].filter((pet) => mayBe(status, pet.status));
    const matching = status === "" ? claimedLast(fitting, claims) : fitting;
    const others = rows.filter((row) => !row.isOwn && (mayBe(row.status, status) || status === ""));
    const sure = matching.slice(0, Math.max(0, matching.length - others.length));
    for (const pet of sure.slice(0, equal.length)) left.delete(pet);
    const found = equal.slice(0, matching.length).map((row, at) => ({ row, pet: sure[at] }));
    claims.push(...found.filter(({ pet }) => pet === undefined).map(({ row }) => row.status));
    return found;
  });
}

const mayBe = (status: string, other: string | undefined): boolean =>
  status === "" || status === other;

/** Returns animals, those last that rows with these statuses may be, one for each. */
function claimedLast(pets: readonly Pet[], claims: readonly string[]): readonly Pet[] {
  const open = [...claims];
  const claimed = new Set(
    pets.filter(({ status = "" }) => {
      const at = status === "" ? -1 : open.indexOf(status);
      if (at >= 0) open.splice(at, 1);
      return at >= 0;
    }),
  );
  return [...pets.filter((pet) => !claimed.has(pet)), ...claimed];
}
