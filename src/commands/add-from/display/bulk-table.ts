import { notAddedLines, type RowLines } from "./row-format.ts";
import type { PetWidths } from "./bulk-widths.ts";
import { petColumns } from "../../../output/columns.ts";
import { openTable, type TableTarget, type TableWriter } from "../../../output/formats/table.ts";

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
export function tableLines({ widths, count, target }: BulkTableOptions): RowLines {
  let table: TableWriter | undefined;
  let idWidth = 0;
  const open = (width: number): Promise<TableWriter> => {
    idWidth = width;
    const { name, categoryId, status } = widths;
    return openTable(petColumns, [width, name, categoryId, status], { ...target, many: true });
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
      return { stdout: (isFirst ? table.header : "") + (await table.rows(pets)), stderr };
    },
  };
}

const digits = (id: bigint): number => String(id).length;
