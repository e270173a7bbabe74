import { usageFailure } from "../../core/errors.ts";
import { escapeControls } from "../../core/sanitize.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { faultColumns, stateColumns } from "../../output/columns.ts";
import { isJson, isTable } from "../../output/formats/index.ts";
import type { RenderedRecord } from "../../output/records.ts";
import { parseFaults, parseLatency } from "../../server/lab/fault-spec.ts";
import type { Context } from "../context.ts";
import { followRequests } from "./follow.ts";
import { isEntries, isFaults, isLink, isState, type State } from "./replies.ts";
import { countsAsText, labHint, printReply } from "./reply-printer.ts";
import { openEntryFormatter } from "./requests.ts";

/** The flags of `pets store requests`, as typed. */
export interface RequestsOptions {
  readonly follow?: boolean;
}

/** Prints the last requests, oldest first, and with `--follow` those that come until the store stops. */
export async function runRequests(context: Context, { follow }: RequestsOptions): Promise<void> {
  const formatter = await openEntryFormatter(context, follow === true);
  const store = await context.localStore();
  if (follow === true) return followRequests(context, store, formatter);
  const entries = await store.ask("requests", isEntries);
  const text = await formatter.format(entries);
  if (text !== "") await context.stdout.write(text);
  if (entries.length === 0 && isTable(context.settings))
    await context.note("No requests since the store was started or reset.");
}

/** Prints how many animals there are, and how many requests ended with each status. */
export async function runState(context: Context): Promise<void> {
  await printReply(
    context,
    stateColumns,
    (store) => store.ask("state", isState),
    withRequestsAsText,
  );
}

/** Resets the store to its seed, and prints its new state. */
export async function runReset(context: Context): Promise<void> {
  const reset = { method: "POST", refusedHint: labHint } as const;
  await printReply(
    context,
    stateColumns,
    (store) => store.ask("reset", isState, reset),
    withRequestsAsText,
  );
}

/** Sets faults and latency if given, and prints those in force. Throws a usage Failure. */
export async function runFaults(
  context: Context,
  spec: string | undefined,
  { latency }: { readonly latency?: string },
): Promise<void> {
  const fault = spec === "off" ? "" : spec;
  if (fault !== undefined && parseFaults(fault) === undefined)
    throw usageFailure(
      `<spec> must be off or shares such as 429:0.1,500:0.05, not ${JSON.stringify(spec)}`,
    );
  if (latency !== undefined && parseLatency(latency) === undefined)
    throw usageFailure(`--latency must be MS or MS±MS, not ${JSON.stringify(latency)}`);
  const changes = {
    ...(fault !== undefined && { fault }),
    ...(spec === "off" && { latency: "" }),
    ...(latency !== undefined && { latency }),
  };
  const request = { method: "POST", body: JSON.stringify(changes), refusedHint: labHint } as const;
  const isChange = Object.keys(changes).length > 0;
  await printReply(context, faultColumns, (store) =>
    store.ask("faults", isFaults, isChange ? request : undefined),
  );
}

/** Prints a link to the page of the store, for one visit. */
export async function runPage(context: Context): Promise<void> {
  const store = await context.localStore();
  const { url } = await store.ask("page", isLink);
  const isData = isJson(context.settings);
  await context.stdout.write(isData ? `${stringifyExact({ url })}\n` : `${escapeControls(url)}\n`);
}

/** Returns `state` with its counts as text. */
function withRequestsAsText(state: State): RenderedRecord {
  return { ...state, requests: countsAsText(state.requests) };
}

export { runClock, runScript } from "./lab.ts";
