import { AsyncLocalStorage } from "node:async_hooks";
import { onTestFinished, type TestContext } from "vitest";

/** The test that runs, also where several do (test/support/setup/current-test.ts). */
export const current = new AsyncLocalStorage<TestContext>();

/** Calls `handler` when the test that called this ends, also where tests run concurrently. */
export function whenFinished(handler: () => unknown): void {
  const register = current.getStore()?.onTestFinished ?? onTestFinished;
  register(async () => void (await handler()));
}
