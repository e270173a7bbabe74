import { describe, expect, it } from "vitest";
import { makeClock } from "../../src/platform/clock.ts";

const systemClock = makeClock(() => process.hrtime.bigint());

describe("sleep", () => {
  it("is never shorter than asked", async () => {
    const { signal } = new AbortController();
    for (const ms of [0, 0.4, 1.5, 12]) {
      const start = systemClock.monotonic();
      await systemClock.sleep(ms, signal);
      expect(systemClock.monotonic() - start).toBeGreaterThanOrEqual(ms);
    }
  });

  it("rejects at once with the reason of a signal, before and while it sleeps", async () => {
    const reason = new Error("enough");
    await expect(systemClock.sleep(60_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleep = systemClock.sleep(60_000, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
  });
});
