import { BrokenPipe } from "../../../core/errors.ts";
import { newPetFieldList } from "../../../core/pet-fields.ts";
import type { Pet } from "../../../core/pet.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import type { Row, RowOutcome } from "../../../imports/types.ts";
import { targetOf } from "../../../output/color.ts";
import { newPetColumns, number, petColumns, text } from "../../../output/columns.ts";
import { errorRecord } from "../../../output/failure.ts";
import type { RecordStream } from "../../../output/formats/format.ts";
import { outputFormats } from "../../../output/formats/index.ts";
import { cellWidth, openTable } from "../../../output/formats/table-layout.ts";
import { pickFields } from "../../../output/records.ts";
import type { Context } from "../../context.ts";
import { openPrinter } from "../../print.ts";

/** The parts of a command's context that the display of a run needs. */
export type DisplayContext = Pick<Context, "stdout" | "stderr" | "clock" | "env" | "settings">;

/** How wide each field is in a table of the whole input, measured when it is checked. */
export type PetWidths = Record<string, number>;

/** Formats rows that ended, in the given order (`help bulk`). */
export interface RowFormat {
  /** Returns what standard output gets for them, below the header if there is one. */
  add(ends: readonly RowOutcome[]): string | Promise<string>;
  /** Whether that has every row; else those that were not added go to standard error. */
  readonly isComplete: boolean;
}

/** The line of a row: the first column of tables, as programs that read a log take a name that begins a line for a command. */
export const lineColumn = number("line");

const outcomeColumns = [lineColumn, text("outcome"), ...petColumns, text("error")];

/** Returns the format of a run's rows by its settings; `left` of them may be added. */
export async function chooseRowFormat(
  context: DisplayContext,
  widths: Readonly<PetWidths>,
  left: number,
): Promise<RowFormat> {
  const { stdout, settings } = context;
  const { kind } = outputFormats[settings.format];
  if (settings.quiet && !settings.formatAsked)
    return addedOnly((rows) => rows.map(({ id }) => `${id}\n`).join(""));
  // On a terminal the bar counts the animals that are added.
  if (kind === "table" && stdout.isTTY && !settings.verbose) return addedOnly(() => "");
  if (kind === "table") return addedOnly(addedTable(context, widths, left));
  const stream = await (await openPrinter(context, outcomeColumns)).stream({}, true);
  const toRecord = kind === "json" ? jsonRecord : flatRecord;
  return { add: (ends) => stream.add(ends.map(toRecord)), isComplete: true };
}

function jsonRecord(end: RowOutcome): object {
  const { line, pet } = end.row;
  const { outcome } = end;
  if (outcome === "added") return { line, outcome, pet: pickFields(end.pet, petColumns) };
  const error = errorRecord(end.failure);
  return outcome === "unknown" ? { line, outcome, pet, error } : { line, outcome, error };
}

function flatRecord(end: RowOutcome): object {
  const { row, outcome } = end;
  if (outcome === "added") return { line: row.line, outcome, ...end.pet };
  return { line: row.line, outcome, ...row.pet, error: errorRecord(end.failure).message };
}

type AddedRow = Pet & Pick<Row, "line">;

function addedOnly(show: (rows: readonly AddedRow[]) => string | Promise<string>): RowFormat {
  const add = (ends: readonly RowOutcome[]) =>
    show(
      ends.flatMap((end) => (end.outcome === "added" ? [{ line: end.row.line, ...end.pet }] : [])),
    );
  return { add, isComplete: false };
}

/** Returns a table of animals, as wide as the input needs if their ids count up from the first one. */
function addedTable(context: DisplayContext, widths: Readonly<PetWidths>, left: number) {
  let table: RecordStream | undefined;
  return async (rows: readonly AddedRow[]): Promise<string> => {
    const [first] = rows;
    if (first === undefined) return "";
    const digits = [first.id, first.id + BigInt(left)].map((id) => String(id).length);
    const known: PetWidths = { ...widths, id: Math.max(...digits) };
    const columns = [lineColumn, ...petColumns];
    const contents = columns.map(({ field }) => known[field] ?? 0);
    table ??= await openTable(columns, contents, targetOf(context));
    return table.add(rows);
  };
}

/** Raises `widths` to what these rows need in a table. */
export function widenColumns(widths: PetWidths, rows: readonly Row[]): void {
  for (const { field, kind } of newPetColumns)
    for (const { pet } of rows) {
      const shown = String(pet[field] ?? "");
      const width = kind === "text" ? cellWidth(escapeControls(shown)) : shown.length;
      widths[field] = Math.max(widths[field] ?? 0, width);
    }
  widths[lineColumn.field] = String(rows.at(-1)?.line ?? "").length;
}

/** Returns a line for standard error for each row that was rejected or is unknown. */
export function notAddedLines(ends: readonly RowOutcome[]): string {
  const lines = ends.map((end) => {
    if (end.outcome === "added") return "";
    const what = end.outcome === "rejected" ? "was rejected" : "has an unknown outcome";
    const why = errorRecord(end.failure).message;
    return `${escapeControls(`line ${end.row.line}: ${describe(end.row)} ${what}: ${why}`)}\n`;
  });
  return lines.join("");
}

/** Returns what a row adds, in words. */
function describe({ pet }: Row): string {
  const { name, ...others } = pet;
  const shown = newPetFieldList.flatMap(({ field, kind, column = field }) => {
    const value = field === "name" ? undefined : others[field];
    return value === undefined ? [] : [kind === "status" ? value : `${column} ${value}`];
  });
  return `${name} (${shown.join(", ")})`;
}

/** How long rows are collected for one write, in ms. */
const collectMs = 1;
/** How many rows are buffered before `add` makes its caller wait. */
const maxBuffered = 1000;

/**
 * Opens a writer of rows as they end, of those that end together in one write; `left` of them may be added. If the
 * reader of standard output goes away, only that output ends (`help bulk`).
 */
export async function openRowWriter(
  context: DisplayContext,
  widths: Readonly<PetWidths>,
  left: number,
) {
  const { stderr, clock } = context;
  const format = await chooseRowFormat(context, widths, left);
  const write = writeWhileRead(context);
  let buffered: RowOutcome[] = [];
  let room = maxBuffered;
  /** The writing of what is buffered; it stays when it has failed. */
  let writing: Promise<void> | undefined;
  const writeBuffered = async (): Promise<void> => {
    await clock.sleep(collectMs);
    while (buffered.length > 0) {
      const ends = buffered;
      buffered = [];
      await write(await format.add(ends));
      const problems = format.isComplete ? "" : notAddedLines(ends);
      if (problems !== "") await stderr.write(problems);
    }
    writing = undefined;
  };
  return {
    /**
     * Adds a row that ended. Returns a promise if too many are buffered: awaiting it keeps memory
     * bounded. It rejects with an io Failure if standard output cannot be written.
     */
    add(end: RowOutcome): Promise<void> | void {
      buffered.push(end);
      if (writing === undefined) {
        writing = writeBuffered();
        writing.catch(() => (room = 0));
      }
      return buffered.length < room ? undefined : writing;
    },
    /** Writes the buffered rows now; if `isWhole`, also the header of an output without any row. */
    async close(isWhole: boolean): Promise<void> {
      await writing;
      if (isWhole) await write(await format.add([]));
    },
  };
}

/** Returns a function that writes to standard output, and nothing any more when its reader has gone. */
function writeWhileRead({ stdout }: DisplayContext) {
  let isReaderGone = false;
  return async (rows: string): Promise<void> => {
    if (rows === "" || isReaderGone) return;
    try {
      await stdout.write(rows);
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
      isReaderGone = true;
    }
  };
}
