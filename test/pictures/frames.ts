import type { Frame } from "./film.ts";
import type { Chunk } from "./record.ts";
import { openEmulator, type Size } from "./screen.ts";

/** Writes within this many ms belong together, such as a line that is cleared and rewritten. */
const together = 25;
/** The minimum duration of a frame, in ms, so that the film stays small. */
const shortest = 330;

/**
 * Returns what the terminal showed, at most every 330 ms, from the moment at which the last
 * command was typed, which is 0 ms.
 */
export async function framesOf(chunks: readonly Chunk[], size: Size): Promise<readonly Frame[]> {
  const emulator = openEmulator(size);
  const frames: Frame[] = [];
  for (const [i, { at, text }] of chunks.entries()) {
    await emulator.write(text);
    const next = chunks[i + 1];
    if (at < 0 || (next !== undefined && next.at - at < together)) continue;
    const last = frames.at(-1);
    const isTooSoon = last !== undefined && frames.length > 1 && at - last.at < shortest;
    const frame = { ...emulator.look(), at: last === undefined ? 0 : Math.round(at) };
    if (isTooSoon) frames[frames.length - 1] = { ...frame, at: last.at };
    else frames.push(frame);
  }
  return frames;
}
