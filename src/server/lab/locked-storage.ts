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
      exclusive(async () => {
        await storage.replaceAll(pets);
        then();
      }),
  };
}

/** Returns a lock that runs any number of shared jobs at once, or one exclusive job alone. */
function sharedExclusiveLock() {
  const running = new Set<Promise<unknown>>();
  const door: { closed?: Promise<void> } = {};
  return {
    shared: async <T>(work: () => Promise<T>): Promise<T> => {
      while (door.closed !== undefined) await door.closed;
      const job = work();
      running.add(job);
      try {
        return await job;
      } finally {
        running.delete(job);
      }
    },
    exclusive: async (work: () => Promise<void>): Promise<void> => {
      while (door.closed !== undefined) await door.closed;
      const { promise, resolve } = Promise.withResolvers<void>();
      door.closed = promise;
      try {
        await Promise.allSettled(running);
        await work();
      } finally {
        delete door.closed;
        resolve();
      }
    },
  };
}
