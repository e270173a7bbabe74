import { Failure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { isJson } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { clientReport } from "../serve/client-report.ts";
import { openReport } from "../serve/output-file.ts";
import { isStoreRunning } from "../serve/running-store.ts";
import { isScript, isStopping, isVerdict } from "./replies.ts";

/** How often a stop is checked for its end, in ms, and how long: requests in flight have 10 s. */
const pollMs = 20;
const maxStopMs = 15_000;

/** Stops a store that runs in the background, if it does, and returns when its port is free and its process has ended. */
export async function runStop(context: Context): Promise<void> {
  const store = await context.localStore();
  const { baseUrl } = await context.connection();
  const isGone = async (error: unknown): Promise<undefined> => {
    if (!isUnreachable(error, baseUrl) || (await isStoreRunning(baseUrl.href))) throw error;
  };
  const stopping = await store.ask("stop", isStopping, { method: "POST" }).catch(isGone);
  if (stopping === undefined) return context.note(`No store is running at ${baseUrl.host}.`);
  const { clock, machine, signal } = context;
  const end = clock.monotonic() + maxStopMs;
  while (machine.isAlive(stopping.pid) || (await isStoreRunning(baseUrl.href))) {
    if (clock.monotonic() > end)
      throw new Failure("service", `the store at ${baseUrl.host} has not stopped after 15 s`);
    await clock.sleep(pollMs, signal);
  }
  await context.note(`Stopped the store at ${baseUrl.host}.`);
}

/** Returns whether nothing on this machine accepted the request: a store that is too slow does. */
function isUnreachable(error: unknown, { hostname }: URL): boolean {
  return error instanceof Failure && error.code === "network" && isLoopbackHost(hostname);
}

/** Prints how the clients of a store have behaved so far. Returns 1 if they did anything wrong, 2 if there were none. */
export async function runCheck(
  context: Context,
  options: { readonly report?: string },
): Promise<number> {
  const file = openReport(options.report);
  const store = await context.localStore();
  const verdict = await store.ask("check", isVerdict);
  const { steps } = await store.ask("script", isScript);
  const { json, text, exitCode } = clientReport(verdict, steps);
  file?.write(json);
  await context.stdout.write(isJson(context.settings) ? json : text);
  return exitCode;
}
