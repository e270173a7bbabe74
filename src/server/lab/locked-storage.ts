import type { NewPet } from "../../core/pet.ts";
import type { OwnStorage, Storage } from "../storage/storage.ts";

/** Wraps `storage` so that a reset waits for running calls and delays new ones. */
export function lockedStorage(storage: OwnStorage) {
  const { shared, exclusive } = sharedExclusiveLock();
  const locked: Storage = {
    ...storage,
    list: (query) => shared(() => storage.list(query)),
    add: (pet) => shared(() => storage.add(pet)),
    get: (id) => shared(() => storage.get(id)),
    countByStatus: () => shared(() => storage.countByStatus()),
  };
  return {
    storage: locked,
    /** Replaces all animals by `pets`, and calls `then` before other calls continue. */
    reset: (pets: Iterable<NewPet> | AsyncIterable<NewPet>, then: () => void): Promise<void> =>
      exclusive(() => storage.replaceAll(pets).then(then)),
  };
}

/** Returns a lock that runs any number of shared jobs at once, or one exclusive job alone. */
function sharedExclusiveLock() {
  const running = new Set<Promise<unknown>>();
  let lastExclusive: Promise<unknown> = Promise.resolve();
  return {
    shared: <T>(work: () => Promise<T>): Promise<T> => {
      const job = lastExclusive.then(work);
      running.add(job);
      return job.finally(() => running.delete(job));
    },
    exclusive: (work: () => Promise<void>): Promise<void> => {
      const job = Promise.allSettled([lastExclusive, ...running]).then(work);
      lastExclusive = job.catch(() => {});
      return job;
    },
  };
}
