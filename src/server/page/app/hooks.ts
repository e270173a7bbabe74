import { useEffect, useState } from "preact/hooks";
import { getJson } from "./api.ts";
import { connection } from "./connection.ts";
import type { Value } from "./value.ts";

/** Returns what went wrong last, if anything, until an action succeeds or the store is live again. */
export function useProblem() {
  const [problem, setProblem] = useState<string>();
  useEffect(
    () => connection.subscribe(() => connection.get() === "live" && setProblem(undefined)),
    [],
  );
  /** Runs `action`; returns whether it succeeded. */
  const attempt = async (action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
      setProblem(undefined);
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return { problem, attempt };
}

/** Calls `action` every `ms` while the view is there. */
export function useInterval(ms: number, action: () => void): void {
  useEffect(() => {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  }, []);
}

/** A value that is fetched again and again; undefined until it is there. */
interface Polled<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
}

/**
 * Returns the JSON value at `path`, fetched every `everyMs` while the page can be seen, and soon after
 * `version` changes.
 */
export function usePolled<T>(
  path: string,
  everyMs: number,
  version?: Pick<Value<unknown>, "subscribe">,
): Polled<T> {
  const [value, setValue] = useState<T>();
  const { problem, attempt } = useProblem();
  useEffect(() => {
    const poller = makePoller(() =>
      attempt(async () => {
        const found = await getJson(path);
        if (!poller.isStopped()) setValue(Object(found));
      }),
    );
    const timer = setInterval(() => document.hidden || poller.soon(), everyMs);
    const unsubscribe = version?.subscribe(poller.soon);
    poller.soon();
    return () => {
      poller.stop();
      clearInterval(timer);
      unsubscribe?.();
    };
  }, [path]);
  // While the connection is lost, the page already says so.
  return { value, problem: connection.get() === "live" ? problem : undefined };
}

/** The minimum interval between two requests, in ms. */
const minPauseMs = 1_000;

/** Makes what calls `load` when it is wanted, at most once a second, until it is stopped. */
export function makePoller(load: () => Promise<unknown>) {
  const state = { isBusy: false, isWanted: false, isStopped: false };
  const run = async (): Promise<void> => {
    state.isBusy = true;
    while (state.isWanted && !state.isStopped) {
      state.isWanted = false;
      await load();
      await new Promise((resolve) => setTimeout(resolve, minPauseMs));
    }
    state.isBusy = false;
  };
  return {
    soon: (): void => {
      state.isWanted = true;
      if (!state.isBusy) void run();
    },
    stop: (): void => void (state.isStopped = true),
    isStopped: (): boolean => state.isStopped,
  };
}
