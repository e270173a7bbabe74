import type { Frame } from "./film.ts";
import { textOf } from "./screen.ts";

/** A bar with all that it can tell. */
const bar = /^\[#+-+\] (\d+)\/(\d+) · \d+ s left · [\d.]+\/s$/;
/** The part of the rows, at most, that have ended where nothing moves. */
const mostDone = 0.9;

/**
 * Which of `frames` shows a run under way best. Throws where none does, or the run never waited: such
 * a recording makes no good film, as where the machine is too busy.
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
