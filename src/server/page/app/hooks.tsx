import { signal, useSignalEffect } from "@preact/signals";
import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { escapeControls } from "../../../core/sanitize.ts";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { pageKeyId, type RequestRow } from "../../request-log/types.ts";
import { getJson } from "./api.ts";
import { connection, isAsking } from "./connection.ts";

/** Returns what went wrong last, to be shown, until an action succeeds or the store is live again. */
export function useProblem() {
  const [message, setMessage] = useState("");
  useSignalEffect(() => {
    if (connection.value === "live") setMessage("");
  });
  /** Runs `action`; returns whether it succeeded. */
  const attempt = async (action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action();
      setMessage("");
      return true;
    } catch (error) {
      setMessage(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  const problem = message !== "" && (
    <p class="alert server" role="alert">
      {escapeControls(message)}
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

interface Polled<T> {
  readonly value: T | undefined;
  readonly problem: ComponentChild;
}

/** Returns the JSON value at `path` once it is known, fetched again after `everyMs` while the tab is seen and live. */
export function usePolled<T>(path: string, everyMs: number): Polled<T> {
  const [value, setValue] = useState<T>();
  const { problem, attempt } = useProblem();
  const isAsked = isAsking.value;
  useEffect(() => {
    const shown = new AbortController();
    const isOver = (): boolean => shown.signal.aborted;
    const poll = async (): Promise<void> => {
      while (!isOver()) {
        await attempt(async () => {
          const found = await getJson<T>(path, { signal: shown.signal }).catch((error: unknown) => {
            if (!isOver()) throw error;
          });
          if (found && !isOver()) setValue(found);
        });
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    };
    if (isAsked) void poll();
    return () => shown.abort();
  }, [path, isAsked]);
  // While the connection is lost, the page already says so.
  return { value, problem: isAsked && problem };
}

const plans = signal<ReadonlyMap<string, string>>(new Map());

/** Fetches what `keyTitle` needs of the keys of `rows`: whenever the view is shown or live again, or has a new key. */
export function useKeyTitles(rows: readonly RequestRow[]): void {
  const ids = new Set(rows.map(({ keyId }) => keyId));
  const added = [...ids].filter((id) => id !== null && !plans.value.has(id)).join(" ");
  const isAsked = isAsking.value;
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { keys } = await getJson<StoreShapes["limits"]>("/_store/limits");
      plans.value = new Map(keys.map(({ id, plan }) => [id, plan]));
    };
    // While the connection is lost, the page already says so.
    if (isAsked) load().catch(() => {});
  }, [added, isAsked]);
}

/** Returns the name of a key by its plan and id; null stands for none that is valid. */
export function keyTitle(keyId: string | null): string {
  if (keyId === null) return "no valid key";
  return keyId === pageKeyId
    ? "page"
    : escapeControls(`${plans.value.get(keyId) ?? "key"} ${keyId}`);
}
