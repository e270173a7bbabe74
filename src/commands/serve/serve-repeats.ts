import type { Clock } from "../../platform/io.ts";

/** How long the same is not told again, in ms: where the data is gone, each request fails alike. */
const pause = 10_000;
/** More different texts than this are not remembered. */
const mostTexts = 100;

/** Makes a function that answers whether a text is to be told: not when it was within the last 10 s. */
export function throttleByMessage(clock: Pick<Clock, "monotonic">): (text: string) => boolean {
  const told = new Map<string, number>();
  return (text) => {
    const now = clock.monotonic();
    if (now - (told.get(text) ?? -Infinity) < pause) return false;
    if (told.size >= mostTexts) told.clear();
    told.set(text, now);
    return true;
  };
}
