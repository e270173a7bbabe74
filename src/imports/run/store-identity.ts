import { hash } from "node:crypto";
import type { ImportRecord } from "../database/import-records.ts";

/** The store that responds: its id, if it tells that, and its address. */
export interface RespondingStore {
  readonly storeId: string | undefined;
  readonly address: string;
}

/**
 * Returns whether an import sent its rows to the store that responds: a store that tells its id is known by it, any
 * other by its base URL (`help bulk`).
 */
export function isSameStore(
  { store, address }: Pick<ImportRecord, "store" | "address">,
  here: RespondingStore,
): boolean {
  return here.storeId === undefined || store === null
    ? address === here.address
    : store === here.storeId;
}

/** Returns whether a run would rely on what is recorded: rows, or the id of a store. */
export function hasRecords({ rows, unsent, store }: ImportRecord): boolean {
  return store !== null || unsent < rows;
}

/** Returns the import of an input at the store that responds: rather one with its id than one without any. */
export function selectImport(
  own: readonly ImportRecord[],
  here: RespondingStore,
): ImportRecord | undefined {
  const rank = ({ store }: ImportRecord): number =>
    store === here.storeId ? 0 : store === null ? 1 : 2;
  return own
    .filter((each) => isSameStore(each, here))
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
