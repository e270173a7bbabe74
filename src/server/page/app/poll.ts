import { useEffect, useState } from "preact/hooks";
import { getJson, messageOf } from "./api.ts";
import { connection } from "./connection.ts";
import { useProblem } from "./use-problem.ts";
import type { Value } from "./value.ts";

/** The minimum interval between two requests, in ms. */
const minPauseMs = 1_000;

/** A value that is fetched again and again. */
interface Polled<T> {
  /** Undefined until it is there. */
  readonly value: T | undefined;
  readonly problem: string | undefined;
  /** Fetches it now. */
  readonly reload: () => void;
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
  const { problem, setProblem } = useProblem();
  const [asked, ask] = useState({});
  useEffect(() => {
    let isCurrent = true;
    const { soon, stop } = makePoller(async () => {
      const show = await getJson(path).then(
        (found) => () => (setValue(Object(found)), setProblem(undefined)),
        // While the connection is lost, the page already says so.
        (error) => () => connection.get() === "live" && setProblem(messageOf(error)),
      );
      if (isCurrent) show();
    });
    const timer = setInterval(() => document.hidden || soon(), everyMs);
    const unsubscribe = version?.subscribe(soon);
    soon();
    return () => {
      isCurrent = false;
      stop();
      clearInterval(timer);
      unsubscribe?.();
    };
  }, [path, asked]);
  return { value, problem, reload: () => ask({}) };
}

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
  };
}
