import type { Pool, PoolClient } from "pg";

/** In ms: how often one more connection is tried after a refusal; how often one is closed for others; how long none is opened then. */
const [stepMs, giveMs, restMs] = [10_000, 2_000, 500];
const idleMs = { usual: 60_000, scarce: 1_000 };

/**
 * Shares out the connections of a pool, at most `max`. One that cannot be opened, for whatever reason, halves their number:
 * the server or a pooler has no more. The pool must begin with a `max` of 1: only the first connection is opened for a waiting
 * request, the others besides, so that no request waits for a new one while another becomes free.
 */
export function shareConnections(pool: Pool, max: number, now = () => performance.now()) {
  const open = new Set<PoolClient>();
  /** How many there may be since `since`; one more after each step. */
  let [kept, since] = [max, now()];
  let restsUntil = now();
  let isOpening = false;
  const allowed = (): number => Math.min(max, kept + Math.floor((now() - since) / stepMs));
  // The error of a connection rejects its query; as an unhandled event it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    open.add(client);
    client.once("end", () => {
      open.delete(client);
      if (open.size === 0) kept = max;
    });
  });
  const grow = async (): Promise<void> => {
    const isEnough = pool.waitingCount === 0 || pool.idleCount > 0;
    if (isOpening || isEnough || pool.totalCount >= allowed() || now() < restsUntil) return;
    isOpening = true;
    pool.options.max = max;
    const opening = pool.connect();
    pool.options.max = 1;
    try {
      const client = await opening;
      isOpening = false;
      release(client);
      await grow();
    } catch {
      isOpening = false;
      if (open.size > 0) [kept, since] = [Math.max(1, Math.floor(open.size / 2)), now()];
    }
  };
  const release = (client: PoolClient, isBroken = false): void => {
    const isDue = !isOpening && pool.totalCount > 1 && now() > restsUntil + giveMs;
    if (isDue) restsUntil = now() + restMs;
    const isScarce = isOpening || allowed() < max;
    pool.options.idleTimeoutMillis = isScarce ? idleMs.scarce : idleMs.usual;
    client.release(isBroken || isDue || pool.totalCount > allowed());
  };
  return {
    /** Rejects if there is none in time. */
    take: (): Promise<PoolClient> => {
      const taken = pool.connect();
      // By then the pool has handed out those that are idle.
      if (pool.waitingCount > 0 && !isOpening) setImmediate(() => void grow());
      return taken;
    },
    /** Closes a connection that is broken, or that others may need. */
    release,
    /** Closes those that are not in use. */
    dropIdle: (): void => {
      for (let left = pool.idleCount; left > 0; left -= 1)
        pool.connect().then(
          (client) => client.release(true),
          () => {},
        );
    },
    end: () => pool.end(),
  };
}
