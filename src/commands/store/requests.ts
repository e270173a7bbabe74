import * as z from "zod/mini";
import type { LocalStore } from "../../client/local-store.ts";
import { formatTimeOfDay } from "../../core/format.ts";
import { allRequestColumns, requestColumns } from "../../output/columns.ts";
import { isJson, isTable } from "../../output/formats/index.ts";
import { sseParser } from "../../server/request-log/sse.ts";
import type { Context } from "../context.ts";
import { openPrintStream, print } from "../print.ts";

/** What is shown of a request; JSON has all of it. */
const entry = z.object({
  id: z.string(),
  time: z.string().check(z.refine((text) => Number.isFinite(Date.parse(text)))),
  remoteAddress: z.string(),
  keyId: z.nullable(z.string()),
  method: z.string(),
  path: z.string(),
  status: z.nullable(z.number()),
  durationMs: z.number(),
  fault: z.nullable(z.string()),
  early: z.boolean(),
  requestBody: z.string(),
  responseBody: z.string(),
  truncated: z.boolean(),
});
type Entry = z.infer<typeof entry>;

/**
 * Prints the last requests, oldest first. With `follow` those that come until the store stops, too: then JSON is one
 * line per request, and a table has fixed columns.
 */
export async function runRequests(
  context: Context,
  { follow = false }: { readonly follow?: boolean },
): Promise<void> {
  const { settings, stdout } = context;
  const hasAll = settings.fields === undefined;
  const columns = isTable(settings) && hasAll ? requestColumns : allRequestColumns;
  const toRecord = (of: Entry): object =>
    isTable(settings) ? localRecord(of) : isJson(settings) && hasAll ? of : dataRecord(of);
  const store = await context.localStore();
  if (follow) {
    const text = await openPrintStream(context, columns, true);
    for await (const entries of followRequests(context, store))
      if (entries.length > 0) await stdout.write(text.add(entries.map(toRecord)));
    return;
  }
  const entries = await store.ask("requests", z.array(entry));
  await print(context, entries.map(toRecord), columns);
  if (entries.length === 0 && isTable(settings))
    await context.note("No requests since the store was started or reset.");
}

/** Returns the fields of an entry, leaving out empty ones. */
function dataRecord(of: Entry): object {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null));
}

/** Returns the same for people, with the local time of day. */
function localRecord(of: Entry): object {
  const time = formatTimeOfDay(Date.parse(of.time));
  return { ...dataRecord(of), time, status: of.status ?? "none" };
}

/** Yields the requests that the store remembers, and then each as it ends, until the store stops. */
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
}

function gapText(missed: unknown): string {
  return typeof missed === "number"
    ? `${missed} requests arrived too fast to be printed`
    : "some requests may be missing";
}
