import type { Storage } from "../storage/storage.ts";

/** How long a check stays valid, in ms: anyone may ask, any number of times. */
const freshMs = 1_000;

/**
 * Returns a function that resolves if the data can be used, and rejects with the error if not. It runs
 * one check at a time, and none within a second of a success.
 */
export function healthCheck(storage: Pick<Storage, "isEmpty">): () => Promise<void> {
  let pending: Promise<void> | undefined;
  let lastSuccess = -Infinity;
  const begin = async (): Promise<void> => {
    try {
      await storage.isEmpty();
      lastSuccess = performance.now();
    } finally {
      pending = undefined;
    }
  };
  return async () => {
    if (performance.now() - lastSuccess < freshMs) return;
    pending ??= begin();
    await pending;
  };
}
