import { lstatSync, type Stats, unlinkSync } from "node:fs";

/** Removes `file` where what is told of it `holds`. What can't be looked at or removed stays. */
export function removeIf(file: string, predicate: (stat: Stats) => boolean): void {
  try {
    if (predicate(lstatSync(file))) unlinkSync(file);
  } catch {
    // Another was faster, or may not be asked.
  }
}
