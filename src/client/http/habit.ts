import type { Client } from "undici";

/** Whether a service keeps a connection open after a reply. */
export interface KeepAliveProbe {
  /** Resolves as soon as it shows, after `probation` at the latest. */
  result(): Promise<"keeps" | "closes">;
}

/** How long a connection must stay open after a reply, in ms; a close follows on the reply's heels. */
const observationMs = 20;

/** Watches a connection that has just carried its first reply. */
export function probeKeepAlive(client: Client): KeepAliveProbe {
  const { promise, resolve } = Promise.withResolvers<"keeps" | "closes">();
  const timer = setTimeout(
    () => resolve(client.stats.connected ? "keeps" : "closes"),
    observationMs,
  );
  // A command that sends nothing more need not stay for the answer.
  timer.unref();
  client.once("disconnect", () => {
    clearTimeout(timer);
    resolve("closes");
  });
  return {
    result: () => {
      timer.ref();
      return promise;
    },
  };
}
