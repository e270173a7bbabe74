import type { Row, RowOutcome } from "../../../imports/types.ts";
import { newPetFieldList } from "../../../core/pet-fields.ts";
import { newPetColumns, petColumns } from "../../../output/columns.ts";
import { errorRecord } from "../../../output/failure.ts";
import { isColored } from "../../../output/color.ts";
import type { OutputFormat } from "../../../output/formats/format.ts";
import type { TableTarget } from "../../../output/formats/table-layout.ts";
import type { TableWriter } from "../../../output/formats/table-writer.ts";
import { type RecordColumn, pickFields } from "../../../output/records.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import type { Environment, Output } from "../../../platform/io.ts";
import { columnWidths, type PetWidths } from "./column-meter.ts";

/** What is written for rows that ended; either may be empty. */
interface RowText {
  readonly stdout: string;
  readonly stderr: string;
}

/** Formats rows that ended, in the given order (`help bulk`). */
export interface RowFormatter {
  format(ends: readonly RowOutcome[]): RowText | Promise<RowText>;
  /** What standard output gets if no row was sent. */
  readonly empty: string;
}

/** The columns of CSV and TSV. */
const outcomeColumns = [
  { field: "line", header: "LINE", kind: "number" },
  { field: "outcome", header: "OUTCOME", kind: "text" },
  ...petColumns,
  { field: "error", header: "ERROR", kind: "text" },
] as const satisfies readonly RecordColumn[];

function rowRecord(end: RowOutcome): object {
  const { row, outcome } = end;
  const { line } = row;
  if (outcome === "added") return { line, outcome, pet: pickFields(end.pet, petColumns) };
  const pet = outcome === "unknown" ? { pet: pickFields(row.pet, newPetColumns) } : {};
  return { line, outcome, ...pet, error: errorRecord(end.failure) };
}

/** The ids of the added animals, one per line; rows that were not added go to standard error. */
export const idsOnly: RowFormatter = {
  empty: "",
  format: (ends) => ({
    stdout: ends.map((end) => (end.outcome === "added" ? `${end.pet.id}\n` : "")).join(""),
    stderr: notAddedLines(ends),
  }),
};

/** Nothing for added animals: on a terminal the bar counts them. */
export const problemsOnly: RowFormatter = {
  empty: "",
  format: (ends) => ({ stdout: "", stderr: notAddedLines(ends) }),
};

/** Returns rows as data: JSON has the animal as `pet` and `error` as errors do, others the columns. */
export async function openDataRows(
  { kind, load }: OutputFormat,
  terminal: boolean,
): Promise<RowFormatter> {
  const columns = outcomeColumns;
  const options = { columns, single: false, whole: true, terminal, color: false };
  const stream = await (await load()).open({ ...options, widths: [], live: true });
  const toRecord = kind === "json" ? rowRecord : cells;
  return {
    get empty() {
      return stream.end();
    },
    format: (ends) => ({ stdout: stream.add(ends.map(toRecord)), stderr: "" }),
  };
}

function cells(end: RowOutcome): object {
  const { row, outcome } = end;
  const { line } = row;
  if (outcome === "added") return { line, outcome, ...end.pet };
  return { line, outcome, ...row.pet, error: errorRecord(end.failure).message };
}

/** Returns a line for standard error for each row that was rejected or is unknown. */
function notAddedLines(ends: readonly RowOutcome[]): string {
  return ends.map((end) => (end.outcome === "added" ? "" : notAddedLine(end))).join("");
}

function notAddedLine({
  row,
  outcome,
  failure,
}: Exclude<RowOutcome, { outcome: "added" }>): string {
  const what = outcome === "rejected" ? "was rejected" : "has an unknown outcome";
  return `${escapeControls(`line ${row.line}: ${describe(row)} ${what}: ${errorRecord(failure).message}`)}\n`;
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

/** What the table of a run is made for. */
export interface TableRowsOptions {
  readonly widths: PetWidths;
  /** How many animals may be added. */
  readonly count: number;
  readonly target: TableTarget;
}

/**
 * Returns a table of the added animals, in columns as wide as the input needs. Ids are expected to
 * count up from the first one; the column is widened if they don't, since a number is never cut.
 */
export async function openTableRows(options: TableRowsOptions): Promise<RowFormatter> {
  const { widths, count, target } = options;
  const { openTable } = await import("../../../output/formats/table-writer.ts");
  let table: TableWriter | undefined;
  let idWidth = 0;
  const open = (width: number): Promise<TableWriter> => {
    idWidth = width;
    return openTable(petColumns, [width, ...columnWidths(widths)], target);
  };
  return {
    empty: "",
    async format(ends) {
      const pets = ends.flatMap((end) => (end.outcome === "added" ? [end.pet] : []));
      const stderr = notAddedLines(ends);
      const [first] = pets;
      if (first === undefined) return { stdout: "", stderr };
      const isFirst = table === undefined;
      const widest = Math.max(...pets.map(({ id }) => digits(id)));
      table ??= await open(Math.max(widest, digits(first.id + BigInt(count))));
      if (widest > idWidth) table = await open(widest);
      return { stdout: (isFirst ? table.header : "") + table.rows(pets), stderr };
    },
  };
}

const digits = (id: bigint): number => String(id).length;

/** Returns the target of a table of animals; `color` is false for `--no-color`. */
export function tableTarget(stdout: Output, env: Environment, color: boolean): TableTarget {
  const { isTTY, columns } = stdout;
  const width = isTTY && columns !== undefined ? { width: columns } : {};
  return { ...width, color: isColored(env, isTTY, color) };
}
