import { type Failure, ioFailure } from "../../core/errors.ts";
import type { PetStatus } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import type { StoredKey, KeyRecord } from "../keys.ts";
import type { LocalLedger, UsageLedger } from "../rate-limits/usage-ledger.ts";

/** JSON in UTF-8. */
export type JsonBytes = Uint8Array<ArrayBuffer>;

/** The checked query of `GET /pets`. */
export interface PageQuery {
  readonly limit: number;
  /** Null is for animals without one. */
  readonly status: PetStatus | null | undefined;
}

/** How many animals have each status; undefined is for those without one. */
export type StatusCounts = ReadonlyMap<PetStatus | undefined, number>;

/** The keys of a store, which another process may change. */
export interface KeyStorage {
  /** Returns a key, perhaps from a cache: the limits refuse one that was removed a moment ago. */
  readonly findKey: (id: string) => Promise<KeyRecord | undefined>;
  /** Returns a key if it is valid now. */
  readonly readKey: (id: string) => Promise<KeyRecord | undefined>;
  /** Stores a key, or gives an existing one this plan and nothing else: a revoked one stays so. `now` is ms since the epoch. */
  putKey(key: KeyRecord, now: number): Promise<void>;
  /** Returns all keys, oldest first. */
  listKeys(): Promise<readonly StoredKey[]>;
  /** Makes a key invalid from the next request on, for good. Returns false if there is none with this id. */
  removeKey(id: string): Promise<boolean>;
  /** Returns whether a key was removed. */
  isRevoked(id: string): Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Where animals and keys are stored. Animals are returned as finished JSON text. */
export interface Storage extends KeyStorage {
  /** A file's path, a database's URL without its password, or `memory`. */
  readonly place: string;
  /** Returns the JSON array of the newest animals, newest first. */
  list(query: PageQuery): Promise<JsonBytes>;
  /** Stores an animal under the next id; resolves with its JSON once it is safe from kill -9 and power loss. */
  add(pet: NewPet): Promise<string>;
  get(id: bigint): Promise<string | undefined>;
  isEmpty(): Promise<boolean>;
  countByStatus(): Promise<StatusCounts>;
  /** Identifies the data: a copy has the same id, data that was reset has another one. */
  readonly storeId: () => string;
  /** Opens the page; stored with the data. */
  readonly pageSecret: () => string;
  /** Stores all or none, and only if there are no animals yet. Returns whether it did. */
  addAll(pets: readonly NewPet[]): Promise<boolean>;
}

/** A Storage of this process alone: it can be reset. */
export interface OwnStorage extends Storage {
  /** Replaces all animals by `pets`, under ids from 1, and gives the data another id. */
  replaceAll(pets: readonly NewPet[]): void;
}

/** The opened data of a store; the storage closes all of it. */
export interface StoreData {
  readonly storage: Storage;
  readonly limits: UsageLedger;
  /** Both, if they belong to this process alone, as fault injection requires. */
  readonly local?: { readonly storage: OwnStorage; readonly limits: LocalLedger };
  /** Resolves if the data is gone for good, because its file was moved or removed. */
  readonly lost?: Promise<Failure>;
}

/**
 * `refused`: it would fail again; `unavailable`: nothing was done, and a later try may succeed; `unanswered`: it may have been
 * carried out; `lost`: likewise, and the data is gone, which `StoreData.lost` reports.
 */
export type StorageProblem = "refused" | "unavailable" | "unanswered" | "lost";

/** Thrown by a storage that cannot do what it was asked; no password is in its message. */
export class StorageError extends Error {
  readonly problem: StorageProblem;
  /** What to do about it when a store starts. */
  readonly hints: readonly string[];

  constructor(
    message: string,
    problem: StorageProblem,
    cause: unknown,
    hints: readonly string[] = [],
  ) {
    super(message, { cause });
    this.problem = problem;
    this.hints = hints;
  }
}

/** Returns the io Failure for a StorageError at the start of a store; other errors unchanged. */
export function toStartFailure(error: unknown): unknown {
  return error instanceof StorageError
    ? ioFailure(error.message, error.cause, ...error.hints)
    : error;
}

/** Returns the io Failure for a file or database, shown as `place`, in which there is no store yet. */
export function noStore(place: string): Error {
  return ioFailure(`no store in ${place}`, undefined, "Create one with `pets serve`.");
}

/** Returns how many animals there are in all. */
export function totalOf(counts: StatusCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
