import { hash } from "node:crypto";
import type { ImportRecord } from "../database/import-records.ts";

/** The store that answers, if it told an id; undefined if it was not asked. */
export type StoreAnswer = { readonly storeId: string | undefined } | undefined;

/** The store, address and key of this run. */
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
  if (here.storeId !== undefined && record.store !== undefined)
    return record.store === here.storeId ? 2 : 0;
  if (record.address !== here.address) return 0;
  if (here.storeId !== undefined) return 2;
  return record.store === undefined && record.key === here.key ? 2 : 1;
}

/** Returns whether a run would rely on what is recorded: rows, or the id of a store. */
export function hasRecords({ rows, counts, store }: ImportRecord): boolean {
  return store !== undefined || counts.unsent < rows;
}

/** Which import of an input belongs to the store that answers: undefined for a new one. */
export type ImportChoice = { readonly record: ImportRecord | undefined } | "store_unknown";

/**
 * Returns the import that belongs to the store that answers: the one with its id, else one without any id,
 * which it takes over, else a new one beside those of other stores.
 */
export function selectImport(
  records: readonly ImportRecord[],
  answer: StoreAnswer,
  key: string,
): ImportChoice {
  const unnamed = records.find(({ store }) => store === undefined);
  if (answer === undefined) return { record: records[0] };
  const { storeId } = answer;
  if (storeId !== undefined)
    return { record: records.find(({ store }) => store === storeId) ?? unnamed };
  if (unnamed !== undefined)
    return unnamed.key === key || !hasRecords(unnamed) ? { record: unnamed } : "store_unknown";
  return records.some(hasRecords) ? "store_unknown" : { record: records[0] };
}

/** Returns the import to go on with although the store is unknown (`--resume`). */
export function selectUnconfirmed(records: readonly ImportRecord[]): ImportRecord | undefined {
  const unnamed = records.find(({ store }) => store === undefined);
  return unnamed ?? records.toSorted((a, b) => b.active - a.active)[0];
}

/** Returns a hash of an input at a service: of `content`, the SHA-256 of its bytes, and the base URL. */
export function inputHash(content: string, baseUrl: URL): string {
  // A journal of an earlier build has this name.
  return hashOf(`pets bulk journal\n${content}\n${baseOf(baseUrl)}`);
}

/** Returns a hash of the address of a store: its base URL without trailing slashes. */
export function addressHash(baseUrl: URL): string {
  return hashOf(`pets bulk address\n${baseOf(baseUrl)}`);
}

const baseOf = (baseUrl: URL): string => baseUrl.origin + baseUrl.pathname.replace(/\/+$/, "");

const hashOf = (text: string): string => hash("sha256", text).slice(0, 32);
