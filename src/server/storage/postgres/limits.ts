import type { WindowState } from "../../api/response.ts";
import type { KeyRecord } from "../../keys.ts";
import {
  admit,
  type AdmissionDecision,
  emptyUsage,
  pruneExpired,
  type Usage,
} from "../../rate-limits/limits.ts";
import { parsePlan, type Plan, unknownPlan } from "../../rate-limits/plans.ts";
import { anonymousCounter, UnknownKey, type UsageLedger } from "../../rate-limits/usage-ledger.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { decodeUsage, encodeUsage, usageColumns } from "../sqlite/usages.ts";
import { readClock, toDatabaseTime, toStoreDecision, toStoreUsage } from "./clock.ts";
import type { Database, DatabaseConnection } from "./database.ts";
import { schemaName } from "./schema.ts";

interface PendingAdmission {
  readonly keyId: string;
  readonly arrival: number;
}
type WaitingAdmission = Waiting<PendingAdmission, AdmissionDecision>;

/** One batch at a time: a second one would wait for the same rows. */
const batches = { concurrency: 1, maxBatch: 1_000 };

const table = `${schemaName}.keys`;

/**
 * Locks the rows of `keyIds`, in the same order in all stores, and reads the clock. A store that hangs
 * in the middle must not block the others; a power failure may lose counted requests.
 */
const lockRows = (keyIds: readonly string[]): string => `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL synchronous_commit = off;
  SET LOCAL lock_timeout = 4000;
  SET LOCAL idle_in_transaction_session_timeout = 2000;
  SELECT id, plan, seen_at, ${usageColumns.join(", ")} FROM ${table}
    WHERE id IN (${keyIds.map(quoteKeyId).join(", ")}) ORDER BY id FOR NO KEY UPDATE;
  ${readClock}`;

const readUsages = `SELECT id, ${usageColumns.join(", ")}, (${readClock}) AS now
  FROM ${table} WHERE id = ANY ($1)`;

/**
 * Returns the limits of keys in `database`, shared by all stores on it: each request locks the
 * key's row, and concurrent ones share a transaction. The database's clock decides; the times of requests
 * and decisions are by `now`, the store's, in ms since the epoch. A key that is no longer valid is removed
 * from `known`.
 */
export function postgresLimits(
  { run, use }: Database,
  known: Map<string, KeyRecord>,
  now: () => number,
): UsageLedger {
  const lastWindows = new Map<string, WindowState>();
  const admitQueued = createBatcher<PendingAdmission, AdmissionDecision>(async (batch) => {
    const byKey = Map.groupBy(batch, ({ item }) => item.keyId);
    const results = await use((connection) => decideBatch(connection, byKey, now));
    for (const { keyId, asking, outcome } of results) {
      if (outcome instanceof Error) {
        known.delete(keyId);
        for (const { reject } of asking) reject(outcome);
      } else
        for (const [place, decision] of outcome.entries()) {
          lastWindows.set(keyId, decision.window);
          asking[place]?.resolve(decision);
        }
    }
  }, batches);
  return {
    admit: (keyId, _plan, arrival) => admitQueued({ keyId, arrival }),
    lastWindow: (keyId) => lastWindows.get(keyId),
    countAnonymous: anonymousCounter().count,
    usagesOf: async (keys, moment) => {
      const rows = await run(readUsages, [keys.map(({ id }) => id)]);
      const reading = { database: Number(rows[0]?.now), store: moment };
      const byKey = new Map(rows.map((row) => [String(row.id), decodeUsage(row)]));
      return keys.map(({ id, quotas }) => {
        const usage = pruneExpired(byKey.get(id) ?? emptyUsage, reading.database, quotas);
        return toStoreUsage(usage, reading);
      });
    },
  };
}

/** The decisions on the requests of one key, or why there are none. */
interface KeyResult {
  readonly keyId: string;
  readonly asking: readonly WaitingAdmission[];
  readonly outcome: readonly AdmissionDecision[] | Error;
}

/** Decides on the requests of keys in one transaction, which is committed when this resolves. */
async function decideBatch(
  { runAll }: DatabaseConnection,
  byKey: ReadonlyMap<string, readonly WaitingAdmission[]>,
  now: () => number,
): Promise<readonly KeyResult[]> {
  const answers = await runAll(lockRows([...byKey.keys()]));
  const reading = { database: Number(answers.at(-1)?.[0]?.now), store: now() };
  const rows = new Map(answers.at(-2)?.map((row) => [String(row.id), row]));
  const updates: string[] = [];
  const results = [...byKey].map(([keyId, asking]): KeyResult => {
    const row = rows.get(keyId);
    if (row === undefined) return { keyId, asking, outcome: new UnknownKey("the key was removed") };
    const plan = parsePlan(String(row.plan));
    if (plan === undefined) return { keyId, asking, outcome: unknownPlan(keyId, String(row.plan)) };
    const before = { usage: decodeUsage(row), seenAt: Number(row.seen_at) };
    const arrivals = asking.map(({ item }) => toDatabaseTime(item.arrival, reading));
    const [decisions, after] = admitBatch(plan, before, arrivals, reading.database);
    updates.push(updateStatement(keyId, after));
    return { keyId, asking, outcome: decisions.map((each) => toStoreDecision(each, reading)) };
  });
  await runAll(`${updates.join("")} COMMIT`);
  return results;
}

function updateStatement(keyId: string, { usage, seenAt }: SharedUsage): string {
  const values = Object.entries(encodeUsage(usage)).map(
    ([column, value]) => `${column} = ${value ?? "NULL"}`,
  );
  return `UPDATE ${table} SET seen_at = ${seenAt}, ${values.join(", ")} WHERE id = ${quoteKeyId(keyId)};`;
}

/** Quotes the id of a key for SQL. */
function quoteKeyId(keyId: string): string {
  if (/^[0-9a-f]+$/.test(keyId)) return `'${keyId}'`;
  throw new Error("the id of a key is not hexadecimal");
}

/** The usage of a key that several stores serve. */
export interface SharedUsage {
  readonly usage: Usage;
  /** The latest time at which one of them decided, in ms since the epoch. */
  readonly seenAt: number;
}

/** A clock that is behind by less than this, in ms, is treated as if it had not moved. */
const maxBehindMs = 10_000;

/**
 * Decides on requests of one key in their order, as `admit` does, and returns the new usage.
 * `arrivals` are the times of the requests, and `decidedAt` is now, all by the database's clock in ms
 * since the epoch. A request that waited longer than one of another store may have arrived in the
 * previous minute: time must not go back for it, or each of the two would start a new count.
 */
export function admitBatch(
  plan: Plan,
  { usage, seenAt }: SharedUsage,
  arrivals: readonly number[],
  decidedAt: number,
): [readonly AdmissionDecision[], SharedUsage] {
  const decisions: AdmissionDecision[] = [];
  let remembered = usage;
  let latest = seenAt;
  for (const arrival of arrivals.map(Math.trunc)) {
    const moment = latest > arrival && latest - arrival < maxBehindMs ? latest : arrival;
    const [decision, next] = admit(plan, remembered, moment);
    decisions.push(decision);
    remembered = withSendTime(next, moment, decidedAt);
    latest = moment;
  }
  return [decisions, { usage: remembered, seenAt: latest }];
}

/**
 * Corrects the time of a 429: it is sent at the decision, and requests that arrived before were already
 * in flight.
 */
function withSendTime(usage: Usage, moment: number, decidedAt: number): Usage {
  const { refusal } = usage;
  if (refusal?.at !== moment || decidedAt <= moment) return usage;
  return { ...usage, refusal: { ...refusal, at: Math.trunc(decidedAt) } };
}
