import type { Frame } from "./film.ts";
import { textOf } from "./screen.ts";

/** Matches a bar with all of its parts. */
const bar = /^\[#+-+\] (\d+)\/(\d+) · \d+ s left$/;
/** The maximum share of rows that have ended in the still frame. */
const mostDone = 0.9;

/**
 * Returns the one of `frames` that best shows a running import. Throws if none does, or if the run never waited: such
 * a recording, for example on a busy machine, makes no good film.
 */
export function chooseStill(frames: readonly Frame[]): number {
  const bottoms = frames.map(({ lines }) => textOf(lines.at(-1) ?? []));
  const still = bottoms.findLastIndex((text) => {
    const [, done, rows] = bar.exec(text) ?? [];
    return done !== undefined && Number(done) / Number(rows) <= mostDone;
  });
  if (still === -1 || !bottoms.some((text) => text.includes(" · next ")))
    throw new Error(`nothing to see in this recording, try again: ${bottoms.join("\n")}`);
  return still;
}
