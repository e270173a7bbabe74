import * as z from "zod/mini";
import type { LocalStore } from "../../client/local-store.ts";
import { isGone } from "../../config/profiles/choose.ts";
import { Failure } from "../../core/errors.ts";
import { formatTimeOfDay, formatZone } from "../../core/format.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { requestColumns } from "../../output/columns.ts";
import { isJson, isTable } from "../../output/formats/index.ts";
import { maxRequestBytes } from "../../server/api/pet-json.ts";
import { storeShapes } from "../../server/api/store-shapes.ts";
import { clockChangeSyntax } from "../../server/clock.ts";
import { faultSyntax, latencySyntax } from "../../server/lab/fault-spec.ts";
import { sseParser } from "../../server/request-log/sse.ts";
import { readText } from "../arguments.ts";
import { readInput } from "../ask.ts";
import type { Context } from "../context.ts";
import { openPrintStream } from "../print.ts";
import { clientReport } from "../serve/client-report.ts";
import { openReport } from "../serve/output-file.ts";
import { isStoreRunning } from "../serve/serve-profile.ts";
import { readScriptText } from "../serve/settings.ts";

const post = (fields: object) => ({ method: "POST" as const, body: JSON.stringify(fields) });

/** Prints how many animals there are, and how many requests ended with each status. */
export const runState = (context: Context) => printState(context, "state", "GET");

/** Resets the store to its seed, and prints its new state. */
export const runReset = (context: Context) => printState(context, "reset", "POST");

/** Prints the state that `name` returns, with the requests `{"200":5,"429":1}` as `200: 5, 429: 1`. */
async function printState(context: Context, name: string, method: "GET" | "POST"): Promise<void> {
  const store = await context.service.localStore();
  const value = await store.ask(name, storeShapes.state, { method });
  const requests = Object.entries(value.requests)
    .map(([status, count]) => `${status === "0" ? "no response" : status}: ${count}`)
    .join(", ");
  await context.print({ ...value, requests }, { json: value });
}

/** Loose, so that `--json` prints also what a later store adds. */
const entry = z.looseObject(storeShapes.request.shape);
type Entry = z.infer<typeof entry>;

/** Prints the last requests, oldest first, and with `follow` those that come until the store stops. */
export async function runRequests(context: Context, follow = false): Promise<void> {
  const { settings, stdout } = context;
  const hasAll = settings.fields === undefined;
  const columns = isTable(settings) && hasAll ? requestColumns : context.columns;
  const toRecord = (of: Entry): object =>
    isTable(settings) ? localRecord(of) : isJson(settings) && hasAll ? of : dataRecord(of);
  const store = await context.service.localStore();
  if (follow) {
    const text = await openPrintStream(context, columns, true);
    for await (const entries of followRequests(context, store))
      if (entries.length > 0) await stdout.write(text.add(entries.map(toRecord)));
    return;
  }
  const entries = await store.ask("requests", z.array(entry));
  const none = "No requests since the store was started or reset.";
  await context.print(entries.map(toRecord), { columns, none });
}

/** Returns the fields of an entry, leaving out empty ones. */
function dataRecord(of: Entry): object {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));
}

/** Returns the same for people, with the local time of day. */
function localRecord(of: Entry): object {
  const at = Date.parse(of.time);
  const time = `${formatTimeOfDay(at)}${formatZone(at)}`;
  return { ...dataRecord(of), time, status: of.status ?? "none" };
}

/** Yields the requests that the store remembers, and then each as it ends, until the store stops. Throws a Failure if its key is revoked. */
async function* followRequests(
  { signal, warn }: Context,
  store: LocalStore,
): AsyncGenerator<readonly Entry[]> {
  // Opened first, so that nothing is missed between the two.
  const stream = await store.stream("events");
  const entries = await store.ask("requests", z.array(entry));
  yield entries;
  const known = new Set(entries.map(({ id }) => id));
  const parse = sseParser();
  for await (const text of stream)
    for (const { event, id, data } of parse(text)) {
      if (event === "gap") await warn(gapText(store.parse(data, z.looseObject({})).missed));
      if (event === "request" && !known.has(id)) yield [store.parse(data, entry)];
    }
  signal.throwIfAborted();
  // A store that is still there says why it ended: the key was revoked.
  await store.ask("state", z.unknown()).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.code !== "network") throw error;
  });
}

function gapText(missed: unknown): string {
  return typeof missed === "number"
    ? `${missed} requests arrived too fast to be printed`
    : "some requests may be missing";
}

/** Sets faults and latency if given, and prints those in force. Throws a usage Failure. */
export async function runFaults(context: Context, spec?: string, latency?: string): Promise<void> {
  readText("the spec", faultSyntax, spec);
  readText("--latency", latencySyntax, latency);
  const change = spec === "off" ? { fault: "", latency: latency ?? "" } : { fault: spec, latency };
  const isQuestion = spec === undefined && latency === undefined;
  const store = await context.service.localStore();
  const inForce = await store.ask(
    "faults",
    storeShapes.faults,
    isQuestion ? undefined : post(change),
  );
  await context.print(inForce);
}

/** Sets the store's clock if `change` is given, and prints its time. Throws a usage Failure. */
export async function runClock(context: Context, change: string | undefined): Promise<void> {
  const changed = readText("the change", clockChangeSyntax, change);
  const store = await context.service.localStore();
  await context.print(await store.ask("clock", storeShapes.clock, changed && post(changed)));
}

/** Replaces the store's script with that in `file` (`-` is standard input), or with none for `off`, and prints it. */
export async function runScript(context: Context, file: string | undefined): Promise<void> {
  const headers = { "content-type": "application/x-ndjson" };
  const request =
    file === undefined
      ? undefined
      : ({ method: "POST", body: await scriptText(context, file), headers } as const);
  const store = await context.service.localStore();
  const value = await store.ask("script", storeShapes.script, request);
  const steps = value.steps.map((each, at) => ({ step: at + 1, times: 1, ...each }));
  await context.print(steps, { json: value, none: "The script has no steps." });
}

/** Throws a usage Failure for a script that is longer than a store takes. */
async function scriptText(context: Context, file: string): Promise<string> {
  if (file === "off") return file;
  if (file !== "-") return readScriptText(file, maxRequestBytes);
  return readInput(context, maxRequestBytes, "the script - is larger than");
}

/** A link that can be shown: another server may name anything, and a terminal makes it clickable. */
const link = z.object({
  url: z.string().check(z.refine((text) => isLocalUrl(URL.parse(text)))),
});

function isLocalUrl(url: URL | null): boolean {
  return url !== null && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}

/** Prints a link to the page of the store, for one visit. */
export async function runPage(context: Context): Promise<void> {
  const store = await context.service.localStore();
  const { url } = await store.ask("page", link);
  const isData = isJson(context.settings);
  await context.stdout.write(isData ? `${stringifyExact({ url })}\n` : `${escapeControls(url)}\n`);
}

/** Prints how the clients of a store have behaved so far. Returns 1 if they did anything wrong, 2 if there were none. */
export async function runCheck(context: Context, report?: string): Promise<number> {
  const file = openReport(report);
  const store = await context.service.localStore();
  const found = await store.ask("check", storeShapes.check);
  const { steps } = await store.ask("script", storeShapes.script);
  const { json, text, exitCode } = clientReport(found, steps);
  file?.write(json);
  await context.stdout.write(isJson(context.settings) ? json : text);
  return exitCode;
}

/** How often a stop is checked for its end, and for how long: requests in flight have 10 s. */
const [pollMs, maxStopMs] = [20, 15_000];

/** Stops a store that runs in the background, if it does, and returns when its port is free and its process has ended. */
export async function runStop(context: Context): Promise<void> {
  const store = await context.service.localStore().catch(async (error: unknown) => {
    if (!(await hasLostProfile(context, error))) throw error;
  });
  if (store === undefined) return context.note("No store is running: its profile is gone as well.");
  const { baseUrl } = await context.service.connection();
  const stopped = await store
    .ask("stop", storeShapes.stop, { method: "POST" })
    .catch(async (error: unknown) => {
      const isRefused = error instanceof Failure && error.code === "network";
      // A store that is too slow is running.
      if (!isRefused || !isLoopbackHost(baseUrl.hostname) || (await isStoreRunning(baseUrl.href)))
        throw error;
    });
  if (stopped === undefined) return context.note(`No store is running at ${baseUrl.host}.`);
  const { clock, machine, signal } = context;
  const { pid, start } = stopped;
  // The store may run in a container, or on another machine: then the number is that of another process here, or of none.
  const isAlive = () => machine.startOf(pid) === start && machine.isAlive(pid);
  const end = clock.monotonic() + maxStopMs;
  while (isAlive() || (await isStoreRunning(baseUrl.href))) {
    if (clock.monotonic() > end)
      throw new Failure("service", `the store at ${baseUrl.host} has not stopped after 15 s`);
    await clock.sleep(pollMs, signal);
  }
  await context.note(`Stopped the store at ${baseUrl.host}.`);
}

/** Returns whether a store is unknown because its profile went with it, as that of a store in memory does. */
async function hasLostProfile({ settings, profiles }: Context, error: unknown): Promise<boolean> {
  if (!(error instanceof Failure)) return false;
  const data = await (await profiles()).read();
  return (settings.profile !== undefined || error.code === "no_api_key") && isGone(settings, data);
}
