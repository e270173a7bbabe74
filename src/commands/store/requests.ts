import { formatTimeOfDay } from "../../core/format.ts";
import { stringifyExact } from "../../core/json/stringify.ts";
import { isColored } from "../../output/color.ts";
import { allRequestColumns, requestColumns } from "../../output/columns.ts";
import { type RecordColumn, type RenderedRecord, shownColumns } from "../../output/records.ts";
import { renderRecords } from "../../output/render.ts";
import type { RequestEntry } from "../../server/inspect/types.ts";
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
  const { settings, stdout } = context;
  const { format } = settings;
  const { fields } = await openPrinter(context, allRequestColumns);
  const isData = format === "json" || format === "ndjson";
  if (isData && fields === undefined) return wholeEntries(context, isFollowed);
  const columns = format === "table" && fields === undefined ? requestColumns : allRequestColumns;
  const options = { columns, ...(fields && { fields }) };
  if (format === "table" && isFollowed) return tableRows(context, shownColumns(options));
  const toRecord = format === "table" ? localRecord : dataRecord;
  let isFirst = true;
  return {
    format: (entries) => {
      const header = isFirst;
      isFirst = false;
      return renderRecords(entries.map(toRecord), {
        ...options,
        format: isFollowed && format === "json" ? "ndjson" : format,
        single: false,
        terminal: stdout.isTTY,
        color: isColored(context.env, stdout.isTTY, settings.color),
        header,
        ...(stdout.columns !== undefined && { width: stdout.columns }),
      });
    },
  };
}

function wholeEntries({ settings, stdout }: Context, isFollowed: boolean): EntryFormatter {
  if (settings.format === "json" && !isFollowed)
    return { format: (entries) => `${stringifyExact(entries, stdout.isTTY ? 2 : 0)}\n` };
  return { format: (entries) => entries.map((entry) => `${stringifyExact(entry)}\n`).join("") };
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

async function tableRows(
  { stdout, env, settings }: Context,
  columns: readonly RecordColumn[],
): Promise<EntryFormatter> {
  const { openTable } = await import("../../output/formats/table-writer.ts");
  const { loadUnicodeMeasurer } = await import("../../output/text/width.ts");
  const table = await openTable(
    columns,
    columns.map(({ field }) => widths[field] ?? 0),
    {
      color: isColored(env, stdout.isTTY, settings.color),
      ...(stdout.isTTY && stdout.columns !== undefined && { width: stdout.columns }),
    },
    await loadUnicodeMeasurer(),
  );
  let header = table.header;
  return {
    format: (entries) => {
      const text = `${header}${table.rows(entries.map(localRecord))}`;
      header = "";
      return text;
    },
  };
}

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
