import type { OutputFormat } from "../../../core/enums.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import type { NewPet } from "../../../core/pet.ts";
import { newPetColumns } from "../../../output/columns.ts";
import type { TableTarget } from "../../../output/formats/table-layout.ts";
import { pickFields, type RenderOptions } from "../../../output/records.ts";
import { loadUnicodeMeasurer } from "../../../output/text/width.ts";
import type { PetWidths } from "./column-meter.ts";

/** Formats the animals that would be sent, batch by batch, in constant memory. */
export interface DryRunFormatter {
  /** Returns the text of the next animals, with any header or separator before them. */
  format(pets: readonly NewPet[]): string;
  /** Returns what follows the last animal, or the whole output if there was none. */
  end(): string;
}

/** How the animals that would be sent are shown. */
export interface DryRunFormatOptions {
  readonly format: OutputFormat;
  readonly widths: PetWidths;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  readonly target: TableTarget;
}

/** Returns the formatter of the requested format (contract.md, Bulk, `--dry-run`). */
export async function openDryRunFormatter(options: DryRunFormatOptions): Promise<DryRunFormatter> {
  const { format, widths, terminal, target } = options;
  if (format === "json") return jsonArray(terminal ? 2 : 0);
  if (format === "table") return tableOf(widths, target);
  const plain: RenderOptions = { columns: newPetColumns, single: false, terminal, color: false };
  if (format === "csv")
    return delimited((await import("../../../output/formats/csv.ts")).renderCsv, plain);
  if (format === "tsv")
    return delimited((await import("../../../output/formats/tsv.ts")).renderTsv, plain);
  const { renderNdjson } = await import("../../../output/formats/json.ts");
  return { format: (pets) => renderNdjson(pets, plain), end: () => "" };
}

function jsonArray(indent: number): DryRunFormatter {
  let before = "[";
  const itemBreak = indent > 0 ? "\n" : "";
  const item = (pet: NewPet): string => {
    const text = stringifyExact(pickFields(pet, newPetColumns), indent);
    const indented = indent > 0 ? indentLines(text, " ".repeat(indent)) : text;
    const start = before;
    before = ",";
    return start + itemBreak + indented;
  };
  return {
    format: (pets) => pets.map(item).join(""),
    end: () => (before === "[" ? "[]\n" : `${itemBreak}]\n`),
  };
}

// Not /^/gm, which also matches after U+2028 and U+2029: a name may contain them.
const indentLines = (text: string, by: string): string => by + text.replaceAll("\n", `\n${by}`);

type Render = (pets: readonly NewPet[], options: RenderOptions) => string;

function delimited(render: Render, options: RenderOptions): DryRunFormatter {
  let header = true;
  return {
    format(pets) {
      const text = render(pets, { ...options, header });
      header = false;
      return text;
    },
    end: () => (header ? render([], options) : ""),
  };
}

async function tableOf(widths: PetWidths, target: TableTarget): Promise<DryRunFormatter> {
  const { openTable } = await import("../../../output/formats/table-writer.ts");
  const { name, categoryId, status } = widths;
  const contents = [name, categoryId, status];
  const table = await openTable(newPetColumns, contents, target, await loadUnicodeMeasurer());
  let { header } = table;
  return {
    format(pets) {
      if (pets.length === 0) return "";
      const start = header;
      header = "";
      return start + table.rows(pets);
    },
    end: () => "",
  };
}
