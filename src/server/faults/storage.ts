import type { NewPet } from "../../core/pet.ts";
import { requestContext, wireFault } from "./request.ts";
import { petJson } from "../routes/pet-json.ts";
import type { OwnStorage, Storage } from "../storage/storage.ts";

/**
 * Wraps `storage` for fault injection: an add with a fault before its commit stores nothing, although its
 * reply looks the same; a reset waits for running calls and delays new ones.
 */
export function faultyStorage(storage: OwnStorage) {
  const { shared, exclusive } = sharedExclusiveLock();
  const store: Storage = {
    ...storage,
    list: (query) => shared(() => storage.list(query)),
    add: (pet) => shared(() => (failsBeforeCommit() ? fakeResult(storage, pet) : storage.add(pet))),
    get: (id) => shared(() => storage.get(id)),
    countByStatus: () => shared(() => storage.countByStatus()),
  };
  return {
    store,
    /** Replaces all animals by `pets`, and calls `then` before other calls continue. */
    reset: (pets: Iterable<NewPet> | AsyncIterable<NewPet>, then: () => void): Promise<void> =>
      exclusive(async () => {
        await storage.replaceAll(pets);
        then();
      }),
  };
}

function failsBeforeCommit(): boolean {
  const request = requestContext.getStore();
  return request !== undefined && request.beforeCommit && wireFault(request) !== undefined;
}

/** Returns the JSON that adding `pet` would return. */
async function fakeResult(storage: OwnStorage, pet: NewPet): Promise<string> {
  const newest = Buffer.from(await storage.list({ limit: 1, status: undefined })).toString();
  const [, id = "0"] = /"id":(\d+)/.exec(newest) ?? [];
  return petJson(BigInt(id) + 1n, pet);
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
