import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makePoller } from "../../../../src/server/page/app/hooks.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it("loads at most once a second, and once more for all that is wanted in the meantime", async () => {
  const load = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const { soon } = makePoller(load);
  for (let count = 0; count < 5; count += 1) soon();
  await pass(999);
  expect(load).toHaveBeenCalledTimes(1);
  await pass(1);
  expect(load).toHaveBeenCalledTimes(2);
  await pass(60_000);
  expect(load).toHaveBeenCalledTimes(2);
  soon();
  expect(load).toHaveBeenCalledTimes(3);
});

it("loads nothing after it is stopped", async () => {
  const load = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const { soon, stop } = makePoller(load);
  soon();
  soon();
  stop();
  await pass(60_000);
  expect(load).toHaveBeenCalledTimes(1);
});
