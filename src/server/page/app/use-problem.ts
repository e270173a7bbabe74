import { useEffect, useState } from "preact/hooks";
import { messageOf } from "./api.ts";
import { connection } from "./connection.ts";

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
      setProblem(messageOf(error));
      return false;
    }
  };
  return { problem, setProblem, attempt };
}
