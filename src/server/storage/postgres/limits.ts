import { unauthorized } from "../../api/errors.ts";
import type { WindowState } from "../../api/response.ts";
import type { KeyRecord } from "../../keys.ts";
import {
  admit,
  type AdmissionDecision,
  defaultBanMs,
  inFlightGraceMs,
  pruneExpired,
  type Usage,
} from "../../rate-limits/limits.ts";
import { parsePlan, unknownPlan } from "../../rate-limits/plans.ts";
import { anonymousCounter, type UsageLedger } from "../../rate-limits/usage-ledger.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { parseUsage } from "../tables.ts";
import type { Database } from "./database.ts";
import { prefix } from "./schema.ts";

/** A request of a key, and when it arrived, in ms by the store's clock. */
interface Request {
  readonly keyId: string;
  readonly arrival: number;
}

const table = `${prefix}keys`;
const clock = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";

/**
 * Locks the rows of `keyIds`, in the same order in all stores, then reads the clock. A store that hangs
 * in the middle must not block the others; a power failure may lose counted requests.
 */
const lockRows = (keyIds: readonly string[]): string => `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL synchronous_commit = off;
  SET LOCAL lock_timeout = 4000;
  SET LOCAL idle_in_transaction_session_timeout = 2000;
  SELECT id, plan, usage FROM ${table}
    WHERE id IN (${keyIds.map(quoteKeyId).join(", ")}) ORDER BY id FOR NO KEY UPDATE;
  ${clock}`;

/**
 * Returns the limits of keys in `database`, shared by all stores on it. Each request is decided while the key's row is
 * locked, by the database's clock; concurrent ones share a transaction. `now` is the store's clock, in ms since the
 * epoch. A key that is no longer valid is removed from `known`.
 */
export function postgresLimits(
  { run, use }: Database,
  known: Map<string, KeyRecord>,
  now: () => number,
): UsageLedger {
  const lastWindows = new Map<string, WindowState>();
  const decide = (batch: readonly Waiting<Request, AdmissionDecision>[]): Promise<void> =>
    use(async ({ runAll }) => {
      const byKey = Map.groupBy(batch, ({ item }) => item.keyId);
      const answers = await runAll(lockRows([...byKey.keys()]));
      const moment = Number(answers.at(-1)?.[0]?.now);
      const offset = now() - moment;
      const rows = new Map(answers.at(-2)?.map((row) => [String(row.id), row]));
      const updates: string[] = [];
      const settles: (() => void)[] = [];
      for (const [keyId, asking] of byKey) {
        const row = rows.get(keyId);
        const plan = parsePlan(String(row?.plan));
        if (row === undefined || plan === undefined) {
          const error = row ? unknownPlan(keyId, String(row.plan)) : unauthorized();
          known.delete(keyId);
          for (const { reject } of asking) settles.push(() => reject(error));
          continue;
        }
        let usage = parseUsage(row.usage);
        for (const { item, resolve } of asking) {
          const isPastGrace = item.arrival - offset - refusedAt(usage) > inFlightGraceMs;
          const [decided, after] = admit(plan, usage, moment, defaultBanMs, isPastGrace);
          usage = after;
          const decision = toStoreTime(decided, offset);
          lastWindows.set(keyId, decision.window);
          settles.push(() => resolve(decision));
        }
        updates.push(
          `UPDATE ${table} SET usage = '${JSON.stringify(usage)}' WHERE id = ${quoteKeyId(keyId)};`,
        );
      }
      await runAll(`${updates.join("")} COMMIT`);
      for (const settle of settles) settle();
    });
  // One batch at a time: a second one would wait for the same rows.
  const admitQueued = createBatcher(decide, { concurrency: 1, maxBatch: 1_000 });
  return {
    admit: (keyId, _plan, arrival) => admitQueued({ keyId, arrival }),
    lastWindow: (keyId) => lastWindows.get(keyId),
    countAnonymous: anonymousCounter().count,
    usagesOf: async (keys) => {
      const [time] = await run(clock);
      const moment = Number(time?.now);
      const ids = keys.map(({ id }) => id);
      const rows = await run(`SELECT id, usage FROM ${table} WHERE id = ANY ($1)`, [ids]);
      const byKey = new Map(rows.map((row) => [row.id, row.usage]));
      const usages = keys.map(({ id, quotas }) =>
        pruneExpired(parseUsage(byKey.get(id)), moment, quotas),
      );
      return { now: moment, usages };
    },
  };
}

/** Returns when the last refusal or ban of a key was sent: requests from before were on their way. */
function refusedAt({ refusal, bannedUntil = Infinity }: Usage): number {
  return refusal?.at ?? bannedUntil - defaultBanMs;
}

/**
 * Returns `decision` with its times by the store's clock, which is ahead of the database's by `offset` ms. A window's end
 * moves by whole seconds, as its header counts: the latency of the database must not move it to the next one.
 */
function toStoreTime(decision: AdmissionDecision, offset: number): AdmissionDecision {
  const resetAt = decision.window.resetAt + Math.round(offset / 1000) * 1000;
  const window = { ...decision.window, resetAt };
  return decision.allowed
    ? { ...decision, window }
    : { ...decision, window, until: decision.until + offset };
}

function quoteKeyId(keyId: string): string {
  if (/^[0-9a-f]+$/.test(keyId)) return `'${keyId}'`;
  throw new Error("the id of a key is not hexadecimal");
}
