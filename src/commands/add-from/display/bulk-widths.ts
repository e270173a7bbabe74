import type { NewPet } from "../../../client/types.ts";
import { shownWidth } from "../../../output/formats/table.ts";
import { isPrintableAscii, type TextMeasurer, measurerFor } from "../../../output/text/width.ts";

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
  const ruler = await measurerFor(["日"]);
  const widths = { name: 0, categoryId: 0, status: 0 };
  return Object.assign(widths, {
    add(pets: readonly NewPet[]): void {
      for (const { name, categoryId, status = "" } of pets) {
        widths.name = Math.max(widths.name, nameWidth(name, ruler));
        widths.categoryId = Math.max(widths.categoryId, String(categoryId).length);
        widths.status = Math.max(widths.status, status.length);
      }
    },
  });
}

function nameWidth(name: string, ruler: TextMeasurer): number {
  return isPrintableAscii(name) ? name.length : shownWidth(name, ruler);
}
