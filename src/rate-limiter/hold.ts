import type { WaitCondition } from "./decision.ts";

/** Whether nobody knows how long it will last, as it is for others to end it: its ms are the most. */
export function isOpenEnded({ reason }: WaitCondition): boolean {
  return reason === "probing" || reason === "learning";
}
