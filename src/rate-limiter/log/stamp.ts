/**
 * A moment, by the clocks of the machine that wrote it down: ms since it started, sleep included,
 * which start that was, and ms since the epoch by a clock that may be wrong and may jump.
 */
export interface Timestamp {
  readonly boot: string;
  readonly uptime: number;
  readonly wall: number;
}

/** Uptimes of one start may be this far apart, in ms: they tick in hundredths of a second. */
const toleranceMs = 1000;
/** How far ahead, in ms, the clock may have been when it wrote; what is further was never written. */
const maxClockSkewMs = 2 * 60_000;

/**
 * How long ago `then` was at `now`, in ms. Within one start of the machine its uptime tells,
 * which does not jump; else its clock. Undefined for what lies in the future.
 */
export function ageOf(then: Timestamp, now: Timestamp): number | undefined {
  const sameBoot =
    then.boot === now.boot && (then.boot !== "" || then.uptime <= now.uptime + toleranceMs);
  const age = sameBoot ? now.uptime - then.uptime : now.wall - then.wall;
  if (age < -(sameBoot ? toleranceMs : maxClockSkewMs)) return undefined;
  return sameBoot ? age : Math.max(0, age);
}

/** The moment that was `now.uptime - at` ms before `now`. */
export function timestampAt(at: number, now: Timestamp): Timestamp {
  return { boot: now.boot, uptime: at, wall: now.wall - (now.uptime - at) };
}
