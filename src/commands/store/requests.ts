import { formatTimeOfDay } from "../../core/format.ts";
import { allRequestColumns, requestColumns } from "../../output/columns.ts";
import { outputFormats, isTable } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { openPrintStream, print } from "../print.ts";
import { followRequests } from "./follow.ts";
import { type Entry, isEntries } from "./replies.ts";

/**
 * Prints the last requests, oldest first. With `follow` those that come until the store stops, too: then JSON is one
 * line per request, and a table has fixed columns.
 */
export async function runRequests(
  context: Context,
  { follow = false }: { readonly follow?: boolean },
): Promise<void> {
  const { settings, stdout } = context;
  const isBrief = isTable(settings) && settings.fields === undefined;
  const columns = isBrief ? requestColumns : allRequestColumns;
  const { kind } = outputFormats[settings.format];
  const isWhole = kind === "json" && settings.fields === undefined;
  const toRecord = isWhole ? wholeRecord : kind === "table" ? localRecord : dataRecord;
  const store = await context.localStore();
  if (follow) {
    const text = await openPrintStream(context, columns, true);
    return followRequests(context, store, async (entries) => {
      if (entries.length > 0) await stdout.write(text.add(entries.map(toRecord)));
    });
  }
  const entries = await store.ask("requests", isEntries);
  await print(context, entries.map(toRecord), columns);
  if (entries.length === 0 && isTable(settings))
    await context.note("No requests since the store was started or reset.");
}

const wholeRecord = (entry: Entry): object => entry;

/** Returns the fields of an entry that hold a single value, leaving out empty ones. */
function dataRecord(entry: Entry): object {
  const { keyId, status, fault, ...others } = entry;
  return {
    ...others,
    ...(keyId !== null && { keyId }),
    ...(status !== null && { status }),
    ...(fault !== null && { fault }),
  };
}

/** Returns the same for people, with the local time of day. */
function localRecord(entry: Entry): object {
  const time = formatTimeOfDay(Date.parse(entry.time));
  return { ...dataRecord(entry), time, status: entry.status ?? "none" };
}
