import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { within } from "../../../../src/rate-limiter/log/redis/within.ts";

afterEach(() => void vi.useRealTimers());

it("returns the result of the work, or rejects like it", async () => {
  expect(await within({ ms: 1000 }, async () => 7)).toBe(7);
  await expect(within({ ms: 1000 }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});

it("rejects after the time is over, not before", async () => {
  vi.useFakeTimers();
  let error: unknown;
  within({ ms: 1000 }, () => new Promise(() => {})).catch((reason: unknown) => (error = reason));
  await vi.advanceTimersByTimeAsync(999);
  expect(error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(error).toEqual(new Error("it did not respond within 1 s"));
  expect(vi.getTimerCount()).toBe(0);
});

it("does not count the time in which this process gets no CPU", async () => {
  const work = within({ ms: 1000 }, () => sleep(100, "done"));
  // As on a machine that is busy with other processes.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  expect(await work).toBe("done");
});

it("counts that time too after three times the limit", async () => {
  vi.useFakeTimers();
  const times = [0, 3001];
  const now = (): number => times.shift() ?? 0;
  const work = within({ ms: 1000, now }, () => new Promise(() => {}));
  const failure = work.catch((reason: unknown) => reason);
  await vi.advanceTimersByTimeAsync(50);
  expect(await failure).toEqual(new Error("it did not respond within 1 s"));
});

it("rejects as soon as too much came", async () => {
  vi.useFakeTimers();
  const work = within({ ms: 1000, isTooMuch: () => true }, () => new Promise(() => {}));
  const failure = work.catch((reason: unknown) => reason);
  await vi.advanceTimersByTimeAsync(10);
  expect(await failure).toEqual(new Error("it sent too much"));
});
