import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../../src/server/storage/open.ts";
import { healthCheck } from "../../../src/server/routes/health.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { postgresAvailable, usePostgres } from "../../support/databases/postgres.ts";
import { startTestStore } from "../../support/servers/store.ts";

describe("healthCheck", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("checks one at a time, at most once a second", async () => {
    const isEmpty = vi.fn<() => Promise<boolean>>(async () => true);
    const check = healthCheck({ isEmpty });
    await Promise.all([check(), check(), check()]);
    vi.advanceTimersByTime(999);
    await check();
    expect(isEmpty).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await check();
    expect(isEmpty).toHaveBeenCalledTimes(2);
  });

  it("checks again right after a failure", async () => {
    const isEmpty = vi
      .fn<() => Promise<boolean>>(async () => true)
      .mockRejectedValueOnce(new Error("away"));
    const check = healthCheck({ isEmpty });
    await expect(Promise.all([check(), check()])).rejects.toThrow("away");
    await check();
    expect(isEmpty).toHaveBeenCalledTimes(2);
  });
});

describe("GET /healthz", () => {
  it("is 503 while the data can't be used, and 200 when it can again", async () => {
    let isAway = false;
    const error = Object.assign(new Error("secret detail"), { errcode: 5 });
    const kept = memoryStorage();
    const isEmpty = (): Promise<boolean> => (isAway ? Promise.reject(error) : kept.isEmpty());
    const { port } = await startTestStore({ storage: { ...kept, isEmpty } });
    const ask = () => fetch(`http://127.0.0.1:${port}/healthz`);
    isAway = true;
    const away = await ask();
    expect(away.status).toBe(503);
    expect(away.headers.get("retry-after")).toBe("1");
    expect(await away.json()).toEqual({
      code: "unavailable",
      message: expect.not.stringContaining("secret"),
      status: 503,
    });
    isAway = false;
    const back = await ask();
    expect(back.status).toBe(200);
    expect(await back.json()).toEqual({ status: "ok" });
  });
});

describe.skipIf(!postgresAvailable)("GET /healthz on PostgreSQL", () => {
  const server = usePostgres();

  it("is 503 while the database can't be reached, and 200 when it is back", async () => {
    const data = await openStorage(await server.createDatabase(), Date.now);
    const { port } = await startTestStore({ storage: data.storage });
    const status = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/healthz`)).status;
    expect(await status()).toBe(200);
    await server.stop("immediate");
    await expect.poll(status, { timeout: 10_000 }).toBe(503);
    await server.start();
    await expect.poll(status, { timeout: 10_000 }).toBe(200);
  });
});
