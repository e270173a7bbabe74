import { formatTimeOfDay } from "../../core/format.ts";
import { isColored } from "../../output/color.ts";
import { allRequestColumns, requestColumns } from "../../output/columns.ts";
import { type RenderedRecord, shownColumns } from "../../output/records.ts";
import { outputFormats } from "../../output/formats/index.ts";
import type { RequestEntry } from "../../server/request-log/types.ts";
import type { Context } from "../context.ts";
import { openPrinter } from "../print.ts";

/** Returns the text of entries, and then of those that follow. */
export interface EntryFormatter {
  format(entries: readonly RequestEntry[]): string | Promise<string>;
}

/** Returns a formatter of entries; with `--follow`, JSON is one line per entry, and a table has fixed columns. */
export async function openEntryFormatter(
  context: Context,
  isFollowed: boolean,
): Promise<EntryFormatter> {
  const { settings, stdout, env } = context;
  const { kind, load } = outputFormats[settings.format];
  const { fields } = await openPrinter(context, allRequestColumns);
  const options = {
    columns: kind === "table" && fields === undefined ? requestColumns : allRequestColumns,
    ...(fields && { fields }),
    single: false,
    whole: true,
    terminal: stdout.isTTY,
    color: isColored(env, stdout.isTTY, settings.color),
    ...(stdout.columns !== undefined && { width: stdout.columns }),
  };
  const isWhole = kind === "json" && fields === undefined;
  const toRecord = isWhole ? wholeRecord : kind === "table" ? localRecord : dataRecord;
  const writer = await load();
  if (!isFollowed) return { format: (entries) => writer.render(entries.map(toRecord), options) };
  const shown = shownColumns(options).map(({ field }) => widths[field] ?? 0);
  const stream = await writer.open({ ...options, widths: shown, live: true });
  return { format: (entries) => stream.add(entries.map(toRecord)) };
}

/** The widths of the columns of a followed table; a path is cut only to fit a terminal. */
const widths: Readonly<Record<string, number>> = {
  id: 34,
  time: 12,
  remoteAddress: 15,
  keyId: 16,
  method: 6,
  status: 6,
  durationMs: 7,
  fault: 8,
  early: 5,
  path: 16_384,
};

const wholeRecord = (entry: RequestEntry): RenderedRecord => entry;

/** Returns the fields of an entry that hold a single value, leaving out empty ones. */
function dataRecord(entry: RequestEntry): RenderedRecord {
  const { keyId, status, fault, ...others } = entry;
  return {
    ...others,
    ...(keyId !== null && { keyId }),
    ...(status !== null && { status }),
    ...(fault !== null && { fault }),
  };
}

/** Returns the same for people, with the local time of day. */
function localRecord(entry: RequestEntry): RenderedRecord {
  const time = formatTimeOfDay(Date.parse(entry.time));
  return { ...dataRecord(entry), time, status: entry.status ?? "none" };
}
