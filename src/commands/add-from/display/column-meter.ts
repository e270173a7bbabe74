import type { NewPet } from "../../../core/pet.ts";
import { cellWidth } from "../../../output/formats/table-layout.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import { loadUnicodeMeasurer } from "../../../output/text/width.ts";

/** The width of the widest value of each field of many animals in a table, in terminal columns. */
export interface PetWidths {
  readonly name: number;
  readonly categoryId: number;
  readonly status: number;
}

/** Measures animals batch by batch, in constant memory. */
export interface ColumnMeter extends PetWidths {
  add(pets: readonly NewPet[]): void;
}

/** Returns a meter that has measured nothing yet. */
export async function openColumnMeter(): Promise<ColumnMeter> {
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
