import type { RowOutcome } from "../../../bulk/types.ts";
import type { OutputFormat } from "../../../core/enums.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import { petColumns } from "../../../output/columns.ts";
import { errorRecord } from "../../../output/failure.ts";
import type { TableTarget } from "../../../output/formats/table-layout.ts";
import type { TableWriter } from "../../../output/formats/table-writer.ts";
import { type Column, pickFields, type RenderOptions } from "../../../output/records.ts";
import { escapeControls } from "../../../output/text/sanitize.ts";
import { loadUnicodeMeasurer } from "../../../output/text/width.ts";
import type { PetWidths } from "./dry-run-format.ts";

/** What is written when rows ended; each may be empty. */
interface RowText {
  readonly stdout: string;
  readonly stderr: string;
}

/** Makes the lines of rows that ended, in the order in which they are given (contract.md, Bulk, Outcomes). */
export interface RowLines {
  format(ends: readonly RowOutcome[]): RowText | Promise<RowText>;
  /** What belongs on standard output though no row was sent. */
  readonly empty: string;
}

/** How rows are shown as CSV and TSV. */
const outcomeColumns = [
  { field: "line", header: "LINE", kind: "number" },
  { field: "outcome", header: "OUTCOME", kind: "text" },
  ...petColumns,
  { field: "error", header: "ERROR", kind: "text" },
] as const satisfies readonly Column[];

/** A line of JSON a row; `pet` with the fields that api.md names, `error` with the keys of a JSON error. */
export const jsonLines: RowLines = {
  empty: "",
  format: (ends) => ({
    stdout: ends.map((end) => `${stringifyExact(rowRecord(end))}\n`).join(""),
    stderr: "",
  }),
};

function rowRecord(end: RowOutcome): object {
  const { row, outcome } = end;
  const { line } = row;
  if (outcome === "added") return { line, outcome, pet: pickFields(end.pet, petColumns) };
  return { line, outcome, error: errorRecord(end.failure) };
}

/** The ids of the animals added, one a line; what else became of rows goes to standard error. */
export const idsOnly: RowLines = {
  empty: "",
  format: (ends) => ({
    stdout: ends.map((end) => (end.outcome === "added" ? `${end.pet.id}\n` : "")).join(""),
    stderr: notAddedLines(ends),
  }),
};

/** CSV or TSV with the header above the first row; for a terminal with control characters escaped. */
export async function delimitedLines(
  format: OutputFormat & ("csv" | "tsv"),
  terminal: boolean,
): Promise<RowLines> {
  const render =
    format === "csv"
      ? (await import("../../../output/formats/csv.ts")).renderCsv
      : (await import("../../../output/formats/tsv.ts")).renderTsv;
  const options: RenderOptions = { columns: outcomeColumns, single: false, terminal, color: false };
  let header = true;
  return {
    get empty() {
      return header ? render([], options) : "";
    },
    format(ends) {
      const stdout = render(ends.map(cells), { ...options, header });
      header = false;
      return { stdout, stderr: "" };
    },
  };
}

function cells(end: RowOutcome): object {
  const { row, outcome } = end;
  const { line } = row;
  if (outcome === "added") return { line, outcome, ...end.pet };
  return { line, outcome, ...row.pet, error: errorRecord(end.failure).message };
}

/** A line for standard error of each row that was rejected, or of which nobody knows. */
function notAddedLines(ends: readonly RowOutcome[]): string {
  return ends.map((end) => (end.outcome === "added" ? "" : notAddedLine(end))).join("");
}

function notAddedLine({
  row,
  outcome,
  failure,
}: Exclude<RowOutcome, { outcome: "added" }>): string {
  const what = outcome === "rejected" ? "was rejected" : "is unknown";
  return `${escapeControls(`line ${row.line} ${what}: ${errorRecord(failure).message}`)}\n`;
}

/** What the table of a bulk add is made for. */
export interface BulkTableOptions {
  readonly widths: PetWidths;
  /** How many animals may be added. */
  readonly count: number;
  readonly target: TableTarget;
}

/**
 * The animals added, in columns as wide as the input needs. Ids are taken to be counted up from the
 * first one: the column is widened where they are not, since a number is never cut.
 */
export async function tableLines(options: BulkTableOptions): Promise<RowLines> {
  const { widths, count, target } = options;
  const { openTable } = await import("../../../output/formats/table-writer.ts");
  const measurer = await loadUnicodeMeasurer();
  let table: TableWriter | undefined;
  let idWidth = 0;
  const open = (width: number): Promise<TableWriter> => {
    idWidth = width;
    const { name, categoryId, status } = widths;
    return openTable(petColumns, [width, name, categoryId, status], target, measurer);
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
