import type { Client } from "undici";

/** Whether a service keeps a connection open after a reply. */
export interface Habit {
  /** Resolves as soon as it shows, after `probation` at the latest. */
  learn(): Promise<"keeps" | "closes">;
}

/** How long a connection must stay open after a reply, in ms; a close follows on the reply's heels. */
const probation = 20;

/** Watches a connection that has just carried its first reply. */
export function watchHabit(client: Client): Habit {
  const { promise, resolve } = Promise.withResolvers<"keeps" | "closes">();
  const timer = setTimeout(() => resolve(client.stats.connected ? "keeps" : "closes"), probation);
  // A command that sends nothing more need not stay for the answer.
  timer.unref();
  client.once("disconnect", () => {
    clearTimeout(timer);
    resolve("closes");
  });
  return {
    learn: () => {
      timer.ref();
      return promise;
    },
  };
}
