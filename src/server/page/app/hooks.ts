import { useSignalEffect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { getJson } from "./api.ts";
import { connection } from "./connection.ts";

/** Returns what went wrong last, if anything, until an action succeeds or the store is live again. */
export function useProblem() {
  const [problem, setProblem] = useState<string>();
  useSignalEffect(() => {
    if (connection.value === "live") setProblem(undefined);
  });
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

/** Returns the JSON value at `path`, fetched `everyMs` after the one before while the page can be seen. */
export function usePolled<T>(path: string, everyMs: number): Polled<T> {
  const [value, setValue] = useState<T>();
  const { problem, attempt } = useProblem();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const load = async (): Promise<void> => {
      const found = await getJson(path);
      if (isShown) setValue(Object(found));
    };
    const poll = async (): Promise<void> => {
      if (!document.hidden) await attempt(load);
      if (isShown) timer = setTimeout(poll, everyMs);
    };
    void poll();
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [path]);
  // While the connection is lost, the page already says so.
  return { value, problem: connection.value === "live" ? problem : undefined };
}
