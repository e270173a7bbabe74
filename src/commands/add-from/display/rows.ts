import { BrokenPipe } from "../../../core/errors.ts";
import { formatPlace } from "../../../core/format.ts";
import { newPetFieldList } from "../../../core/pet-fields.ts";
import type { Pet } from "../../../core/pet.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import type { Row, RowOutcome } from "../../../imports/types.ts";
import { number, petColumns, pickFields, text } from "../../../output/columns.ts";
import { errorRecord } from "../../../output/failure.ts";
import { isJson, isTable } from "../../../output/formats/index.ts";
import type { Context } from "../../context.ts";
import { openPrintStream } from "../../print.ts";

export type DisplayContext = Pick<
  Context,
  "stdout" | "stderr" | "clock" | "env" | "settings" | "secrets"
>;

/** The first column of tables: CI takes a name that begins a line of a log for a command. */
export const lineColumn = number("line", "LINE", 6);

const outcomeColumns = [lineColumn, text("outcome"), ...petColumns, text("error")];

/**
 * Returns how rows are printed as they end (`help import`); only their ids with `--quiet`. Unless that is complete, those
 * that were not added go to standard error.
 */
export async function chooseRowFormat(context: DisplayContext) {
  const { stdout, settings } = context;
  if (settings.quiet && settings.given.format === undefined)
    return addedOnly((rows) => rows.map(({ id }) => `${id}\n`).join(""));
  // On a terminal the bar counts the animals that are added.
  if (isTable(settings) && stdout.isTTY && !settings.verbose) return addedOnly(() => "");
  const columns = isTable(settings) ? [lineColumn, ...petColumns] : outcomeColumns;
  const stream = await openPrintStream(context, columns, true);
  if (isTable(settings)) return addedOnly((rows) => stream.add(rows));
  const toRecord = isJson(settings) ? jsonRecord : flatRecord;
  return { add: (ends: readonly RowOutcome[]) => stream.add(ends.map(toRecord)), isComplete: true };
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

function addedOnly(show: (rows: readonly (Pet & Pick<Row, "line">)[]) => string) {
  const add = (ends: readonly RowOutcome[]): string =>
    show(ends.flatMap(({ row: { line }, ...end }) => ("pet" in end ? [{ line, ...end.pet }] : [])));
  return { add, isComplete: false };
}

/** Returns a line for standard error for each row that was rejected or is unknown. */
export function notAddedLines(ends: readonly RowOutcome[]): string {
  const lines = ends.map((end) => {
    if (end.outcome === "added") return "";
    const why = errorRecord(end.failure).message.replace(/; the animal may or may not .*$/, "");
    const what = end.outcome === "rejected" ? `rejected: ${why}` : `outcome unknown (${why})`;
    return `${escapeControls(`${formatPlace(end.row)}: ${describe(end.row)}: ${what}`)}\n`;
  });
  return lines.join("");
}

function describe({ pet }: Row): string {
  const { name, ...others } = pet;
  const shown = newPetFieldList.flatMap(({ field, kind, column = field }) => {
    const value = field === "name" ? undefined : others[field];
    return value === undefined ? [] : [kind === "status" ? value : `${column} ${value}`];
  });
  return `${name} (${shown.join(", ")})`;
}

/** Rows that end within this time go out in one write. */
const collectMs = 1;
/** How many rows are buffered before `add` makes its caller wait. */
const maxBuffered = 1000;

/** Writes rows as they end. If the reader of standard output goes away, only that output ends. */
export async function openRowWriter(context: DisplayContext) {
  const { stdout, stderr, clock, secrets } = context;
  const format = await chooseRowFormat(context);
  let isReaderGone = false;
  const write = async (rows: string): Promise<void> => {
    if (rows === "" || isReaderGone) return;
    try {
      await stdout.write(rows);
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
      isReaderGone = true;
    }
  };
  let buffered: RowOutcome[] = [];
  let room = maxBuffered;
  /** The writing of what is buffered; it stays when it has failed. */
  let writing: Promise<void> | undefined;
  const writeBuffered = async (): Promise<void> => {
    await clock.sleep(collectMs);
    while (buffered.length > 0) {
      const ends = buffered;
      buffered = [];
      await write(format.add(ends));
      const problems = format.isComplete ? "" : notAddedLines(ends);
      if (problems !== "") await stderr.write(secrets.inMessage(problems));
    }
    writing = undefined;
  };
  return {
    /** Adds a row that ended. If too many are buffered, returns a promise; it rejects if they cannot be written. */
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
      if (isWhole) await write(format.add([]));
    },
  };
}
