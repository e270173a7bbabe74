import type { DatabaseSync } from "node:sqlite";
import type { Usage } from "../../rate-limits/limits.ts";

/** The columns of what is remembered of a key, without its id. */
export const usageColumns = [
  "minute_end",
  "minute_requests",
  "day_end",
  "day_requests",
  "refused_at",
  "refused_until",
  "early",
  "banned_until",
] as const;
const columns = ["key_id", ...usageColumns];

/** Keeps the row that `usageRow` makes, in place of an earlier one. */
export const upsertUsage = `INSERT OR REPLACE INTO usages (${columns.join(", ")})
  VALUES (${columns.map((column) => `:${column}`).join(", ")})`;

/** Forgets the key whose id is its parameter. */
export const deleteUsage = "DELETE FROM usages WHERE key_id = ?";

/** What is remembered of the key `keyId`, as a row. */
export function usageRow(
  keyId: string,
  usage: Usage,
): Record<(typeof usageColumns)[number] | "key_id", string | number | null> {
  const { minute, day, refusal, bannedUntil } = usage;
  return {
    key_id: keyId,
    minute_end: minute.end,
    minute_requests: minute.requests,
    day_end: day.end,
    day_requests: day.requests,
    refused_at: refusal?.at ?? null,
    refused_until: refusal?.until ?? null,
    early: refusal?.early ?? null,
    banned_until: bannedUntil ?? null,
  };
}

/** What is remembered of all keys, by their ids. */
export function readUsages(database: DatabaseSync): readonly (readonly [string, Usage])[] {
  const rows = database.prepare(`SELECT ${columns.join(", ")} FROM usages`).all();
  return rows.map((row) => [String(row.key_id), usageOf(row)]);
}

/** What is remembered of a key, from its row. */
export function usageOf(row: Record<string, unknown>): Usage {
  const number = (column: string): number => Number(row[column]);
  const isRefused = row.refused_at !== null && row.refused_until !== null;
  return {
    minute: { end: number("minute_end"), requests: number("minute_requests") },
    day: { end: number("day_end"), requests: number("day_requests") },
    ...(isRefused && {
      refusal: {
        at: number("refused_at"),
        until: number("refused_until"),
        early: number("early"),
      },
    }),
    ...(row.banned_until !== null && { bannedUntil: number("banned_until") }),
  };
}
