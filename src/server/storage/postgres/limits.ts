import type { KeyRecord } from "../../keys.ts";
import {
  admit,
  type AdmissionDecision,
  emptyUsage,
  peek,
  pruneExpired,
  type Usage,
} from "../../rate-limits/limits.ts";
import { parsePlan, type Plan, unknownPlan } from "../../rate-limits/plans.ts";
import { anonymousCounter, UnknownKey, type UsageLedger } from "../../rate-limits/usage-ledger.ts";
import { createBatcher, type Waiting } from "../batcher.ts";
import { usageColumns, decodeUsage, encodeUsage } from "../sqlite/usages.ts";
import {
  type ClockReading,
  clockReading,
  readClock,
  toDatabaseTime,
  toStoreDecision,
  toStoreUsage,
  toStoreWindow,
} from "./clock.ts";
import type { DatabaseConnection, Database, DatabaseRow, Statement } from "./database.ts";
import { schemaName } from "./schema.ts";

interface PendingAdmission {
  readonly keyId: string;
  readonly arrival: number;
}
type WaitingAdmission = Waiting<PendingAdmission, AdmissionDecision>;

/** The last known usage of a key, and the time of that. */
interface KnownUsage extends SharedUsage {
  readonly plan: Plan;
  readonly reading: ClockReading;
}

/** One batch at a time: a second one would wait for the same rows. */
const batches = { concurrency: 1, maxBatch: 1_000 };

/**
 * Locks the rows of `keyIds`, in the same order in all stores, and reads the clock. A store that hangs
 * in the middle must not block the others; a power failure may lose counted requests.
 */
const lockRows = (keyIds: readonly string[]): string => `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL synchronous_commit = off;
  SET LOCAL lock_timeout = 4000;
  SET LOCAL idle_in_transaction_session_timeout = 2000;
  SELECT id, plan, seen_at, ${usageColumns.join(", ")} FROM ${schemaName}.keys
    WHERE id IN (${keyIds.map(quoteKeyId).join(", ")}) ORDER BY id FOR NO KEY UPDATE;
  ${readClock}`;

const readUsages: Statement = {
  text: `SELECT id, ${usageColumns.join(", ")}, (${readClock}) AS now
    FROM ${schemaName}.keys WHERE id = ANY ($1)`,
};

/**
 * Returns the limits of keys in `database`, shared by all stores on it: each request locks the
 * key's row, and concurrent ones share a transaction. The database's clock decides; the times of requests
 * and decisions are by `now`, the store's, in ms since the epoch. A key that is no longer valid is removed
 * from `known`.
 */
export function postgresLimits(
  database: Database,
  known: Map<string, KeyRecord>,
  now: () => number,
): UsageLedger {
  const latest = new Map<string, KnownUsage>();
  const forget = (keyId: string): void => {
    known.delete(keyId);
    latest.delete(keyId);
  };
  const admitQueued = createBatcher<PendingAdmission, AdmissionDecision>(async (batch) => {
    const byKey = Map.groupBy(batch, ({ item }) => item.keyId);
    const answers = await database.use((connection) => decideBatch(connection, byKey, now));
    for (const { keyId, usage } of answers) {
      if (usage === undefined) forget(keyId);
      else latest.set(keyId, usage);
    }
    for (const { answer } of answers) answer();
  }, batches);
  return {
    admit: (keyId, _plan, arrival) => admitQueued({ keyId, arrival }),
    lastWindow: (keyId, moment) => {
      const seen = latest.get(keyId);
      if (seen === undefined) return undefined;
      const { plan, usage, reading } = seen;
      const since = moment - reading.store;
      return toStoreWindow(peek(plan, usage, reading.database + since).window, reading);
    },
    countAnonymous: anonymousCounter().count,
    usagesOf: async (keys, moment) => {
      const rows = await database.run(readUsages, [keys.map(({ id }) => id)]);
      const reading = clockReading(rows[0], moment);
      const byKey = new Map(rows.map((row) => [String(row.id), decodeUsage(row)]));
      return keys.map(({ id, windows }) => {
        const usage = pruneExpired(byKey.get(id) ?? emptyUsage, reading.database, windows);
        return toStoreUsage(usage, reading);
      });
    },
  };
}

/** The result for the requests of one key; without `usage` if no decision was possible. */
interface KeyResult {
  readonly keyId: string;
  readonly usage?: KnownUsage;
  /** Settles the promises of the requests; called after the commit. */
  readonly answer: () => void;
}

async function decideBatch(
  connection: DatabaseConnection,
  byKey: ReadonlyMap<string, readonly WaitingAdmission[]>,
  now: () => number,
): Promise<readonly KeyResult[]> {
  const results = await connection.runAll(lockRows([...byKey.keys()]));
  const reading = clockReading(results.at(-1)?.[0], now());
  const rows = new Map(results.at(-2)?.map((row) => [String(row.id), row]));
  const answers = [...byKey].map(([keyId, asking]) =>
    decideKey(keyId, asking, rows.get(keyId), reading),
  );
  const updates = answers.map(({ keyId, usage }) => (usage ? updateStatement(keyId, usage) : ""));
  await connection.runAll(`${updates.join("")} COMMIT`);
  return answers;
}

function decideKey(
  keyId: string,
  asking: readonly WaitingAdmission[],
  row: DatabaseRow | undefined,
  reading: ClockReading,
): KeyResult {
  const failing = (error: Error): KeyResult => ({
    keyId,
    answer: () => asking.forEach(({ reject }) => reject(error)),
  });
  if (row === undefined) return failing(new UnknownKey("the key was removed"));
  const plan = parsePlan(String(row.plan));
  if (plan === undefined) return failing(unknownPlan(keyId, String(row.plan)));
  const before = { usage: decodeUsage(row), seenAt: Number(row.seen_at) };
  const arrivals = asking.map(({ item }) => toDatabaseTime(item.arrival, reading));
  const [decisions, after] = admitBatch(plan, before, arrivals, reading.database);
  const answer = (): void => {
    for (const [place, decision] of decisions.entries())
      asking[place]?.resolve(toStoreDecision(decision, reading));
  };
  return { keyId, usage: { plan, reading, ...after }, answer };
}

function updateStatement(keyId: string, { usage, seenAt }: SharedUsage): string {
  const values = Object.entries(encodeUsage(usage)).map(
    ([column, value]) => `${column} = ${value ?? "NULL"}`,
  );
  return `UPDATE ${schemaName}.keys SET seen_at = ${seenAt}, ${values.join(", ")} WHERE id = ${quoteKeyId(keyId)};`;
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
