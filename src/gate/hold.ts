import type { Hold } from "./decide.ts";

/** Whether nobody knows how long it will last, as it is for others to end it: its ms are the most. */
export function isOpen({ why }: Hold): boolean {
  return why === "probing" || why === "learning";
}
