import type { ValueCheck } from "../../client/local-store.ts";
import { usageFailure } from "../../core/errors.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { parseDuration } from "../../core/times.ts";
import {
  clockColumns,
  type Column,
  faultColumns,
  scriptColumns,
  stateColumns,
} from "../../output/columns.ts";
import { isJson, isTable } from "../../output/formats/index.ts";
import { maxRequestBytes } from "../../server/api/pet-json.ts";
import {
  faultSyntax,
  latencySyntax,
  parseFaults,
  parseLatency,
} from "../../server/lab/fault-spec.ts";
import { parsed, parserOf } from "../arguments.ts";
import type { Context } from "../context.ts";
import { print } from "../print.ts";
import { readScriptText } from "../serve/settings/lab-options.ts";
import {
  isClock,
  isFaults,
  isLink,
  isScript,
  isState,
  type Script,
  type State,
} from "./replies.ts";

export { runCheck, runStop } from "./control.ts";
export { runRequests } from "./requests.ts";

/** A JSON object that a store returns, and how it is shown. */
interface Reply<T> {
  readonly name: string;
  readonly check: ValueCheck<T>;
  readonly columns: readonly Column[];
  /** Returns it as a record, or as records; by default itself. Not for JSON, which has all of it. */
  readonly toRecords?: (value: T) => object;
}

/** Prints what a store returns, after a `change` if there is one. Returns it. */
async function show<T extends object>(
  context: Context,
  { name, check, columns, toRecords = (value) => value }: Reply<T>,
  change?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<T> {
  const store = await context.localStore();
  const value = await store.ask(name, check, change && { ...change, method: "POST" });
  const isWhole = isJson(context.settings) && context.settings.fields === undefined;
  await print(context, isWhole ? value : toRecords(value), columns);
  return value;
}

const state = {
  check: isState,
  columns: stateColumns,
  toRecords: ({ requests, ...others }: State) => ({ ...others, requests: countsAsText(requests) }),
};

/** Prints how many animals there are, and how many requests ended with each status. */
export async function runState(context: Context): Promise<void> {
  await show(context, { name: "state", ...state });
}

/** Resets the store to its seed, and prints its new state. */
export async function runReset(context: Context): Promise<void> {
  await show(context, { name: "reset", ...state }, {});
}

/** Returns counts of requests as text: `{"200":5,"429":1}` as `200: 5, 429: 1`. */
function countsAsText(requests: Readonly<Record<string, number>>): string {
  const counts = Object.entries(requests).map(
    ([status, count]) => `${status === "0" ? "no response" : status}: ${count}`,
  );
  return counts.join(", ");
}

/** Sets faults and latency if given, and prints those in force. Throws a usage Failure. */
export async function runFaults(
  context: Context,
  spec: string | undefined,
  { latency }: { readonly latency?: string },
): Promise<void> {
  const fault = spec === "off" ? "" : spec;
  if (fault !== undefined) parsed("<spec>", fault, parserOf(`off or ${faultSyntax}`, parseFaults));
  if (latency !== undefined) parsed("--latency", latency, parserOf(latencySyntax, parseLatency));
  const body = JSON.stringify({ fault, latency: spec === "off" ? (latency ?? "") : latency });
  const reply = { name: "faults", check: isFaults, columns: faultColumns };
  await show(context, reply, body === "{}" ? undefined : { body });
}

/** Sets the store's clock if `change` is given, and prints its time. Throws a usage Failure. */
export async function runClock(context: Context, change: string | undefined): Promise<void> {
  const body = change === undefined ? undefined : JSON.stringify(clockChange(change));
  const reply = { name: "clock", check: isClock, columns: clockColumns };
  await show(context, reply, body === undefined ? undefined : { body });
}

/** Returns what is sent for `+61s`, `freeze`, `run` or a time; the store knows what a time is. */
function clockChange(text: string): Readonly<Record<string, unknown>> {
  if (text === "freeze" || text === "run") return { frozen: text === "freeze" };
  if (/^\d{4}-/.test(text)) return { set: text };
  const [, advance = ""] = /^\+(.*)$/.exec(text) ?? [];
  if (parseDuration(advance, { hasDays: true }) !== undefined) return { advance };
  const allowed = "+ and a duration, such as +61s, a time in ISO 8601, freeze or run";
  throw usageFailure(`<change> must be ${allowed}, not ${JSON.stringify(text)}`);
}

const script = {
  name: "script",
  check: isScript,
  columns: scriptColumns,
  toRecords: ({ steps }: Script) => steps.map((step, at) => ({ step: at + 1, times: 1, ...step })),
};

/** Replaces the store's script with that in `file` (`-` is standard input), or with none for `off`, and prints it. */
export async function runScript(context: Context, file: string | undefined): Promise<void> {
  const body =
    file === undefined || file === "off"
      ? file
      : file === "-"
        ? await readStdin(context)
        : readScriptText(file, maxRequestBytes);
  const headers = { "content-type": "application/x-ndjson" };
  const { steps } = await show(context, script, body === undefined ? undefined : { body, headers });
  if (steps.length === 0 && isTable(context.settings))
    await context.note("The script has no steps.");
}

/** Returns the script on standard input. Throws a usage Failure if it is longer than a store takes. */
async function readStdin({ stdin }: Context): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > maxRequestBytes)
      throw usageFailure(`the script - is larger than ${maxRequestBytes / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Prints a link to the page of the store, for one visit. */
export async function runPage(context: Context): Promise<void> {
  const store = await context.localStore();
  const { url } = await store.ask("page", isLink);
  const isData = isJson(context.settings);
  await context.stdout.write(isData ? `${stringifyExact({ url })}\n` : `${escapeControls(url)}\n`);
}
