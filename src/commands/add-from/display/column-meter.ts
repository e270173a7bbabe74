import type { NewPet } from "../../../core/pet.ts";
import type { NewPetField } from "../../../core/pet-fields.ts";
import { escapeControls } from "../../../core/sanitize.ts";
import { newPetColumns } from "../../../output/columns.ts";
import { cellWidth } from "../../../output/formats/table-layout.ts";

/** The width of the widest value of each field of many animals in a table, in terminal columns; 0 unless given. */
export type PetWidths = Readonly<Partial<Record<NewPetField, number>>>;

/** Measures animals batch by batch, in constant memory. */
export interface ColumnMeter {
  readonly widths: PetWidths;
  add(pets: readonly NewPet[]): void;
}

/** Returns a meter that has measured nothing yet. */
export async function openColumnMeter(): Promise<ColumnMeter> {
  const widths: Partial<Record<NewPetField, number>> = {};
  return {
    widths,
    add(pets): void {
      for (const { field, kind } of newPetColumns)
        for (const { [field]: value = "" } of pets) {
          const text = String(value);
          const width = kind === "text" ? cellWidth(escapeControls(text)) : text.length;
          widths[field] = Math.max(widths[field] ?? 0, width);
        }
    },
  };
}

/** Returns the widths of `newPetColumns`. */
export function columnWidths(widths: PetWidths): readonly number[] {
  return newPetColumns.map(({ field }) => widths[field] ?? 0);
}
