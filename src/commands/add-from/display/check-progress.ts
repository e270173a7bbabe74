import { openStatusLine, supportsStatusLine } from "../../../output/status-line.ts";
import { plural } from "../../../core/format.ts";
import type { DisplayContext } from "./run-display.ts";

/** Shows the progress of checking an input. */
export interface CheckProgress {
  /** Records that this many more rows were read. */
  add(rows: number): void;
  /** Clears the line. */
  close(): void;
}

/** A check is shown if it takes longer than this, in ms; the import's own bar follows it. */
const shownAfterMs = 1000;
const drawEveryMs = 200;

/** Starts to show the check of a large input: only on a terminal, and not with `--quiet`. */
export function openCheckProgress(
  { stderr, clock, env, settings }: Pick<DisplayContext, "stderr" | "clock" | "env" | "settings">,
  file: string,
): CheckProgress {
  if (settings.quiet || !supportsStatusLine(stderr, env)) return { add() {}, close() {} };
  const line = openStatusLine(stderr);
  let drawAt = clock.monotonic() + shownAfterMs;
  let checked = 0;
  return {
    add(rows) {
      checked += rows;
      if (clock.monotonic() < drawAt) return;
      drawAt = clock.monotonic() + drawEveryMs;
      void line.show(`checking ${file}: ${plural(checked, "row")}`);
    },
    close: () => line.clear(),
  };
}
