import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { BenchStoreOptions, BenchStoreReady, BenchStoreReport } from "./store.ts";

/** A store in a separate process. */
export interface BenchStore extends BenchStoreReady {
  /** Stops the store, and returns what it has seen. To be called once. */
  end(): Promise<BenchStoreReport>;
}

/** Starts the real store, which ends with this process at the latest. */
export async function startBenchStore(options: BenchStoreOptions): Promise<BenchStore> {
  const script = path.join(import.meta.dirname, "store.ts");
  const child = fork(script, [JSON.stringify(options)]);
  const next = async <Message>(): Promise<Message> => {
    const ended = once(child, "exit").then(() => Promise.reject(new Error("the store ended")));
    const [message] = (await Promise.race([once(child, "message"), ended])) as [Message];
    return message;
  };
  const ready = await next<BenchStoreReady>();
  return {
    ...ready,
    end: async () => {
      child.send("report");
      const report = await next<BenchStoreReport>();
      child.disconnect();
      return report;
    },
  };
}
