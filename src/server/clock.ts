/** The store's time: everything that it says or decides by time uses this clock. */
export type StoreClock = ReturnType<typeof makeStoreClock>;

/** The last moment that ISO 8601 writes with four digits for the year: there the time stands still. */
const maxMoment = Date.UTC(10_000) - 1;

/** Makes a clock that begins at `start`, or uses the machine's, which may jump, until it is set or frozen. All in ms. */
export function makeStoreClock(machine: { now(): number; monotonic(): number }, start?: number) {
  let isFrozen = false;
  let base = start === undefined ? undefined : { moment: start, at: machine.monotonic() };
  const now = (): number => {
    if (base === undefined) return machine.now();
    const moment = isFrozen ? base.moment : base.moment + machine.monotonic() - base.at;
    return Math.min(maxMoment, Math.floor(moment));
  };
  const restartAt = (moment: number): void => {
    base = { moment, at: machine.monotonic() };
  };
  return {
    /** Returns whole ms since the epoch. */
    now,
    isFrozen: (): boolean => isFrozen,
    /** Sets the time; returns false for a time in the past, or after the year 9999, and then changes nothing. */
    set: (moment: number): boolean => {
      if (!(moment >= now() && moment <= maxMoment)) return false;
      restartAt(moment);
      return true;
    },
    freeze: (frozen: boolean): void => {
      if (frozen === isFrozen) return;
      restartAt(now());
      isFrozen = frozen;
    },
  };
}
