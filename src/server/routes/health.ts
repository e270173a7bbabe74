import type { Storage } from "../storage/storage.ts";

/** How long an answer of the data is good for, in ms: anyone may ask, as often as they like. */
const freshMs = 1_000;

/**
 * Makes a function that resolves when the data can be used, and rejects as the data does where it
 * can't. It looks once at a time, and not again within a second of a success.
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
