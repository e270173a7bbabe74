import { describe, expect, it, onTestFinished } from "vitest";
import { keyRecord } from "../../../../src/server/keys.ts";
import { postgresKeyData } from "../../../../src/server/storage/postgres/index.ts";
import { open, planNamed } from "../../../support/databases/postgres-data.ts";
import { postgresAvailable, sql, usePostgres } from "../../../support/databases/postgres.ts";

const key = keyRecord("some key", "3/min,5/day", true);
const noon = Date.UTC(2026, 10, 5, 12);

/** Undoes the last migration, as an earlier version left the schema. */
const withColumns = `ALTER TABLE pets_store.keys DROP COLUMN usage,
    ${["minute_end", "minute_requests", "day_end", "day_requests", "refused_at", "refused_until", "early", "banned_until", "seen_at"].map((name) => `ADD COLUMN ${name} bigint`).join(", ")};
  UPDATE pets_store.version SET version = 3`;

describe.skipIf(!postgresAvailable)("keys in PostgreSQL", () => {
  const server = usePostgres();
  const plan = planNamed(key.plan);

  it("are shared: what one store creates, changes or removes applies to all at once", async () => {
    const url = await server.createDatabase();
    const [one, other] = await Promise.all([open(url), open(url)]);
    expect(await other.storage.findKey(key.id)).toBeUndefined();
    await one.storage.putKey(key, noon);
    expect(await other.storage.findKey(key.id)).toMatchObject({ plan: "3/min,5/day" });
    expect(await other.storage.listKeys()).toEqual([
      { id: key.id, plan: "3/min,5/day", isOperator: true, createdAt: noon },
    ]);
    await one.storage.putKey(keyRecord("some key", "7/min,9/day"), noon);
    expect(await other.limits.admit(key.id, plan, noon)).toMatchObject({ window: { limit: 7 } });
    expect(await one.storage.listKeys()).toMatchObject([{ plan: "7/min,9/day", isOperator: true }]);
    expect(await one.storage.removeKey(key.id)).toBe(true);
    expect(await one.storage.removeKey(key.id)).toBe(false);
    await expect(other.limits.admit(key.id, plan, noon)).rejects.toThrow("removed");
    expect(await other.storage.findKey(key.id)).toBeUndefined();
  });

  it("of an earlier version are listed and changed before a store has migrated them", async () => {
    const url = await server.createDatabase();
    const { storage } = await open(url);
    await storage.putKey(key, noon);
    await sql(url, withColumns);
    const opened = await postgresKeyData(url);
    onTestFinished(() => opened.close());
    expect(await opened.keys.listKeys()).toMatchObject([{ id: key.id, isOperator: true }]);
    await opened.keys.putKey(keyRecord("another", "free"), noon + 1);
    expect(await opened.keys.listKeys()).toHaveLength(2);
  });
});
