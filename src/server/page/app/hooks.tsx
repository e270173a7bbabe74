import { signal, useSignalEffect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { pageKeyId } from "../../request-log/types.ts";
import { getJson } from "./api.ts";
import { connection } from "./connection.ts";

/** Returns what went wrong last, to be shown, until an action succeeds or the store is live again. */
export function useProblem() {
  const [message, setMessage] = useState<string>();
  useSignalEffect(() => {
    if (connection.value === "live") setMessage(undefined);
  });
  /** Runs `action`; returns whether it succeeded. */
  const attempt = async (action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
      setMessage(undefined);
      return true;
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  const problem = message !== undefined && (
    <p class="problem" role="alert">
      {message}
    </p>
  );
  return { problem, attempt };
}

/** Calls `action` every `ms` while the view is shown. */
export function useInterval(ms: number, action: () => void): void {
  useEffect(() => {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  }, []);
}

/** The value is undefined until it is known. */
interface Polled<T> extends Pick<ReturnType<typeof useProblem>, "problem"> {
  readonly value: T | undefined;
}

/** Returns the JSON value at `path`, fetched again `everyMs` after the last time while the page can be seen. */
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
  return { value, problem: connection.value === "live" && problem };
}

const plans = signal<ReadonlyMap<string, string>>(new Map());

/** Keeps `keyTitle` current while the view is shown, also for keys that are added meanwhile. */
export function useKeyTitles(): void {
  const { value } = usePolled<{ keys: { id: string; plan: string }[] }>("/_store/limits", 5_000);
  useEffect(() => {
    if (value) plans.value = new Map(value.keys.map(({ id, plan }) => [id, plan]));
  }, [value]);
}

/** Returns the name of a key by its plan and id; null stands for none that is valid. */
export function keyTitle(keyId: string | null): string {
  if (keyId === null) return "no valid key";
  return keyId === pageKeyId ? "page" : `${plans.value.get(keyId) ?? "key"} ${keyId}`;
}
