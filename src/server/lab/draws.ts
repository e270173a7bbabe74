import { createHash, hash } from "node:crypto";
import type { FaultKind } from "../../core/enums.ts";

/** What identifies a request for its draws. */
export interface RequestIdentity {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Undefined if it could not be read completely. */
  readonly body?: Uint8Array | undefined;
  /** The number of its key among the store's keys, in the order in which they were made. */
  readonly key?: number | undefined;
  /** The fault that X-Pets-Fault requests, empty where only the latency is drawn: such requests are counted separately. */
  readonly header?: FaultKind | "" | undefined;
}

/**
 * Returns a source of random numbers that depend only on `seed`, on the identity of the request, and on
 * how many equal requests came before: the order of different requests does not matter.
 */
export function identityDraws(seed: number) {
  const counts = new Map<string, number>();
  return {
    /**
     * Draws numbers from 0 up to 1 for the next request with this identity: which fault it meets, whether before its
     * animal is stored or after, where a response is truncated, and the latency.
     */
    next: (identity: RequestIdentity) => {
      const digest = digestOf(identity);
      const count = counts.get(digest) ?? 0;
      counts.set(digest, count + 1);
      const bytes = hash("sha256", `${seed} ${count} ${digest}`, "buffer");
      const number = (index: number): number => bytes.readUInt32LE(index * 4) / 2 ** 32;
      return { fault: number(0), moment: number(1), cut: number(2), latency: number(3) };
    },
    /** Forgets all requests. */
    reset: (): void => counts.clear(),
  };
}

function digestOf({ method, target, body, key, header }: RequestIdentity): string {
  const head = JSON.stringify([method, target, key ?? null, header ?? null, body === undefined]);
  const digest = createHash("sha256").update(`${head}\n`);
  return digest
    .update(body ?? "")
    .digest("base64")
    .slice(0, 22);
}
