import { unauthorized } from "../../api/errors.ts";
import type { WindowState } from "../../api/response.ts";
import type { KeyRecord } from "../../keys.ts";
import { admit, type AdmissionDecision, pruneExpired } from "../../rate-limits/limits.ts";
import { parsePlan, unknownPlan } from "../../rate-limits/plans.ts";
import {
  anonymousCounter,
  elapsedBounds,
  type UsageLedger,
} from "../../rate-limits/usage-ledger.ts";
import { createBatcher } from "../batcher.ts";
import { isValid, parseUsage } from "../tables.ts";
import { type Database, timeLimits } from "./database.ts";
import { prefix } from "./schema.ts";

const table = `${prefix}keys`;
const clock = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now";

/** All stores lock in the same order; one that hangs must not block others; a power failure may lose counted requests. */
const lockRows = (keyIds: readonly string[]): string => `
  BEGIN ISOLATION LEVEL READ COMMITTED; ${timeLimits()}
  SET LOCAL synchronous_commit = off;
  SET LOCAL idle_in_transaction_session_timeout = 2000;
  SELECT id, plan, usage FROM ${table}
    WHERE id IN (${keyIds.map(quoteKeyId).join(", ")}) AND ${isValid} ORDER BY id FOR NO KEY UPDATE;
  ${clock}`;

/** `arrivedAt` is by `performance.now()`, which no step of a clock moves. */
interface QueuedRequest {
  readonly keyId: string;
  readonly arrivedAt: number;
  readonly isEarly: boolean | undefined;
}

/** Returns the limits that all stores on a database share, by its clock; `now` is the store's. Forgets invalid keys. */
export function postgresLimits(
  { run, use }: Database,
  known: Map<string, KeyRecord>,
  now: () => number,
): UsageLedger {
  const lastWindows = new Map<string, WindowState>();
  const bound = elapsedBounds();
  const admitQueued = createBatcher<QueuedRequest, AdmissionDecision>(
    (requests) =>
      use(async ({ runAll }) => {
        const answers = await runAll(lockRows([...new Set(requests.map(({ keyId }) => keyId))]));
        const [rows = [], [time] = []] = answers.slice(-2);
        const moment = Number(time?.now);
        const offset = now() - moment;
        const at = performance.now();
        const keys = new Map(
          rows.map(({ id, plan, usage }) => [
            String(id),
            {
              planName: String(plan),
              plan: parsePlan(String(plan)),
              usage: bound(String(id), parseUsage(usage), moment, at),
            },
          ]),
        );
        const outcomes = requests.map(({ keyId, arrivedAt, isEarly }) => {
          const key = keys.get(keyId);
          if (key?.plan === undefined) {
            known.delete(keyId);
            return key ? unknownPlan(keyId, key.planName) : unauthorized(keyId);
          }
          const moments = { arrivedAt: moment - (at - arrivedAt), now: moment };
          const [decided, usage] = admit(key.plan, key.usage, moments, undefined, isEarly);
          key.usage = usage;
          const decision = toStoreTime(decided, offset);
          lastWindows.set(keyId, decision.window);
          return decision;
        });
        const updates = [...keys].map(([id, { plan, usage }]) =>
          plan === undefined
            ? ""
            : `UPDATE ${table} SET usage = '${JSON.stringify(usage)}' WHERE id = ${quoteKeyId(id)};`,
        );
        await runAll(`${updates.join("")} COMMIT`);
        return outcomes;
      }),
    // One batch at a time: a second one would wait for the same rows.
    { concurrency: 1, maxBatch: 1_000 },
  );
  return {
    admit: (keyId, _plan, { arrived, now: decided }, isEarly) =>
      admitQueued({ keyId, arrivedAt: performance.now() - (decided.real - arrived.real), isEarly }),
    lastWindow: (keyId, at) => {
      const window = lastWindows.get(keyId);
      return window && window.resetAt > at ? window : undefined;
    },
    countAnonymous: anonymousCounter().count,
    usagesOf: async (keys) => {
      const [time] = await run(clock);
      const moment = Number(time?.now);
      const ids = `{${keys.map(({ id }) => id).join(",")}}`;
      const rows = await run(`SELECT id, usage FROM ${table} WHERE id = ANY ($1)`, [ids]);
      const byKey = new Map(rows.map((row) => [row.id, row.usage]));
      const usages = keys.map(({ id, quotas }) =>
        pruneExpired(
          bound(id, parseUsage(byKey.get(id)), moment, performance.now()),
          moment,
          quotas,
        ),
      );
      return { now: moment, usages };
    },
  };
}

/** Returns `decision` by the store's clock, `offset` ms ahead; a window's end moves by whole seconds, not by the latency. */
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
