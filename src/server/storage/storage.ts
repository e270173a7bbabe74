import { ioFailure } from "../../core/errors.ts";
import type { NewPet } from "../../core/pet.ts";
import type { PetStatus } from "../../core/pet-rules.ts";
import type { StoredKey, KeyRecord } from "../keys.ts";
import type { LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";

/** A JSON text in UTF-8, ready to be sent. */
export type JsonBytes = Uint8Array<ArrayBuffer>;

/** The query of `GET /pets`, checked. */
export interface PageQuery {
  readonly limit: number;
  readonly status: PetStatus | undefined;
}

/** Where keys are kept; another process may change them. */
export interface KeyStorage {
  /** The record of the key whose id is `id`. */
  findKey(id: string): Promise<KeyRecord | undefined>;
  /** Keeps a key, or gives one that is kept already this plan. `now` is ms since the epoch. */
  putKey(key: KeyRecord, now: number): Promise<void>;
  /** All keys, in the order in which they were made. */
  listKeys(): Promise<readonly StoredKey[]>;
  /** Makes the key whose id is `id` invalid, from the next request on. False where there is none. */
  removeKey(id: string): Promise<boolean>;
}

/**
 * Where animals and keys are kept. Animals come out as finished JSON text. Asynchronous, because a
 * database server answers later.
 */
export interface Storage extends KeyStorage {
  /** Where it keeps them, ready to be shown: a file's path, or `memory`. */
  readonly place: string;
  /** The JSON array of the newest animals, newest first. */
  list(query: PageQuery): Promise<JsonBytes>;
  /** Keeps an animal under the next id, and resolves with its JSON once it is safe from kill -9 and power loss. */
  add(pet: NewPet): Promise<string>;
  get(id: bigint): Promise<string | undefined>;
  isEmpty(): Promise<boolean>;
  /** Keeps all or, where `pets` throws, none. Answers how many. */
  addAll(pets: AsyncIterable<NewPet> | Iterable<NewPet>): Promise<number>;
  close(): Promise<void>;
}

/** A Storage that is this process's own: it can be begun again. */
export interface OwnStorage extends Storage {
  /** How many animals there are. */
  count(): Promise<number>;
  /**
   * Puts `pets` in place of all animals, under ids from 1; where `pets` throws, all stays as it is.
   * Nothing else may be asked of it meanwhile.
   */
  replaceAll(pets: AsyncIterable<NewPet> | Iterable<NewPet>): Promise<void>;
}

/** All that a store keeps, opened. */
export interface StoreData {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  /** The same, if both belong to this process alone, as fault injection requires. */
  readonly local?: { readonly storage: OwnStorage; readonly limits: LocalLedger };
  /** Ends what is under way, and closes both. */
  close(): Promise<void>;
}

/** The keys of a store, opened to be changed beside it. */
export interface KeyData {
  readonly keys: KeyStorage;
  close(): Promise<void>;
}

/** Returns the io Failure of a file or database, shown as `place`, in which there is no store yet. */
export function noStore(place: string): Error {
  return ioFailure(`there is no store in ${place}`, undefined, "`pets serve` makes one");
}
