import type { NewPet } from "../../../core/pet.ts";
import type { OutputFormat } from "../../../core/enums.ts";
import { stringifyExact } from "../../../core/json/stringify.ts";
import { newPetColumns } from "../../../output/columns.ts";
import { cellWidth, type TableTarget } from "../../../output/formats/table-layout.ts";
import { pickFields, type RenderOptions } from "../../../output/records.ts";
import { escapeControls } from "../../../output/text/sanitize.ts";
import { loadUnicodeMeasurer } from "../../../output/text/width.ts";

/** Makes the text of animals that would be sent, batch by batch, in constant memory. */
export interface DryRunFormatter {
  of(pets: readonly NewPet[]): string | Promise<string>;
  /** What comes behind the last, and what stands for none. */
  end(): string;
}

/** How animals that would be sent are shown. */
export interface NewPetTextOptions {
  readonly format: OutputFormat;
  readonly widths: PetWidths;
  /** Whether standard output is a terminal. */
  readonly terminal: boolean;
  readonly target: TableTarget;
}

/** The animals that would be sent, in the format that was asked for (contract.md, Bulk, `--dry-run`). */
export async function openNewPetText(options: NewPetTextOptions): Promise<DryRunFormatter> {
  const { format, widths, terminal, target } = options;
  if (format === "json") return jsonArray(terminal ? 2 : 0);
  if (format === "table") return tableOf(widths, target);
  const plain: RenderOptions = { columns: newPetColumns, single: false, terminal, color: false };
  if (format === "csv")
    return delimited((await import("../../../output/formats/csv.ts")).renderCsv, plain);
  if (format === "tsv")
    return delimited((await import("../../../output/formats/tsv.ts")).renderTsv, plain);
  const { renderNdjson } = await import("../../../output/formats/json.ts");
  return { of: (pets) => renderNdjson(pets, plain), end: () => "" };
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
    of: (pets) => pets.map(item).join(""),
    end: () => (before === "[" ? "[]\n" : `${itemBreak}]\n`),
  };
}

// Not /^/gm, which knows of line ends that may stand in a name.
const indentLines = (text: string, by: string): string => by + text.replaceAll("\n", `\n${by}`);

type Render = (pets: readonly NewPet[], options: RenderOptions) => string;

function delimited(render: Render, options: RenderOptions): DryRunFormatter {
  let header = true;
  return {
    of(pets) {
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
    of(pets) {
      if (pets.length === 0) return "";
      const start = header;
      header = "";
      return start + table.rows(pets);
    },
    end: () => "",
  };
}

/** The display columns that the widest value of each field of many animals takes. */
export interface PetWidths {
  readonly name: number;
  readonly categoryId: number;
  readonly status: number;
}

/** Measures animals batch by batch, in constant memory. */
export interface ColumnMeter extends PetWidths {
  add(pets: readonly NewPet[]): void;
}

/** A meter that has seen no animal. What knows of wide characters is loaded at once. */
export async function openWidthMeter(): Promise<ColumnMeter> {
  const measurer = await loadUnicodeMeasurer();
  const widths = { name: 0, categoryId: 0, status: 0 };
  return Object.assign(widths, {
    add(pets: readonly NewPet[]): void {
      for (const { name, categoryId, status = "" } of pets) {
        widths.name = Math.max(widths.name, cellWidth(escapeControls(name), measurer));
        widths.categoryId = Math.max(widths.categoryId, String(categoryId).length);
        widths.status = Math.max(widths.status, status.length);
      }
    },
  });
}
