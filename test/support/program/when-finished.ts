import { AsyncLocalStorage } from "node:async_hooks";
import { aroundEach, onTestFinished, type TestContext } from "vitest";

const current = new AsyncLocalStorage<TestContext>();

aroundEach((runTest, context) => current.run(context, runTest));

/** Calls `handler` when the test that called this ends, also where tests run concurrently. */
export function whenFinished(handler: () => unknown): void {
  const register = current.getStore()?.onTestFinished ?? onTestFinished;
  register(async () => void (await handler()));
}
