import { hash } from "node:crypto";
import type { ImportRecord } from "../database/import-records.ts";

/** The store that answers, if it tells its id; its address, and the key of this run. */
export interface Here {
  readonly storeId: string | undefined;
  readonly address: string;
  readonly key: string;
}

/**
 * Returns whether an import sent its rows to the store that answers: 2 if it did, 1 if that is unknown, else
 * 0. A store that tells its id is known by it; any other by its base URL, if the key is the same (`help bulk`).
 */
export function confidence(
  record: Pick<ImportRecord, "store" | "address" | "key">,
  here: Here,
): 0 | 1 | 2 {
  if (here.storeId !== undefined && record.store !== null)
    return record.store === here.storeId ? 2 : 0;
  if (record.address !== here.address) return 0;
  if (here.storeId !== undefined) return 2;
  return record.store === null && record.key === here.key ? 2 : 1;
}

/** Returns whether a run would rely on what is recorded: rows, or the id of a store. */
export function hasRecords({ rows, unsent, store }: ImportRecord): boolean {
  return store !== null || unsent < rows;
}

/**
 * Returns the import of an input that belongs to the store that answers with this confidence: the one with its
 * id, else one without any id, which it takes over; else the last one.
 */
export function selectImport(
  own: readonly ImportRecord[],
  here: Here,
  least: 1 | 2,
): ImportRecord | undefined {
  const rank = ({ store }: ImportRecord): number =>
    store === here.storeId ? 0 : store === null ? 1 : 2;
  return own
    .filter((each) => confidence(each, here) >= least)
    .toSorted((a, b) => rank(a) - rank(b) || b.active - a.active)[0];
}

/** Returns a hash of an input at a service: of `content`, a hash of what it says, and the base URL. */
export function inputHash(content: string, baseUrl: URL): string {
  return hashOf(`pets bulk journal\n${content}\n${baseOf(baseUrl)}`);
}

/** Returns a hash of the address of a store: its base URL without trailing slashes. */
export const addressHash = (baseUrl: URL): string =>
  hashOf(`pets bulk address\n${baseOf(baseUrl)}`);

const baseOf = (baseUrl: URL): string => baseUrl.origin + baseUrl.pathname.replace(/\/+$/, "");

const hashOf = (text: string): string => hash("sha256", text).slice(0, 32);
