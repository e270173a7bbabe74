import { plural } from "../../../core/format.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import { type Column, text as textColumn } from "../../../output/columns.ts";
import { formatRecords } from "../../../output/formats/index.ts";
import { cutText } from "../../../output/text.ts";
import type { Context } from "../../context.ts";
import type { ImportJob } from "../job.ts";

/** Returns a choice on one line of the terminal. */
export const onOneLine = ({ stderr }: Context, text: string): string =>
  cutText(escapeControls(text), (stderr.columns ?? 80) - 4);

/**
 * Shows the first rows as they are in the file, with as many columns as there is room for, and says how many there are.
 * Returns whether there are any to show: an encoding, or where they are, may be unknown yet.
 */
export async function showSample(job: ImportJob): Promise<boolean> {
  const { facts, shape, context } = job;
  const { header, sample, readings, arrays } = facts;
  if (readings.length + arrays.length > 0) return false;
  const names = header?.columns.map(({ name }, at) =>
    header.kind === "data" ? `#${at + 1}` : name,
  );
  const titles = names ?? shape.columns ?? ["ROW"];
  const room = Math.ceil((context.stderr.columns ?? 80) / 10);
  const columns = titles
    .slice(0, room)
    .map((title, at) => textColumn(String(at), escapeControls(title)));
  const rows = header === undefined || header.kind === "data" ? sample : sample.slice(1);
  const records = rows.map((row) => Object.fromEntries([row].flat().entries()));
  await context.note("Its first rows:");
  await showTable(job, records, columns);
  const more = titles.length - room;
  const named = titles.slice(room, room + maxNamed).join(", ") + (more > maxNamed ? ", …" : "");
  if (more > 0) await context.note(`… and ${plural(more, "more column")}: ${named}`);
  return true;
}

const maxNamed = 20;

/** Prints a table on standard error. */
export async function showTable(
  { context: { stderr, secrets } }: ImportJob,
  records: readonly object[],
  columns: readonly Column[],
): Promise<void> {
  const target = { terminal: true, color: false, width: stderr.columns ?? 80 };
  const shown = secrets.inRecord(records);
  await stderr.write(await formatRecords(shown, { format: "table", columns, ...target }));
}
