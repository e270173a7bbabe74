import type { Syntax } from "../core/syntax.ts";
import { isoTime, parseDuration } from "../core/times.ts";

/** A moment, by the clocks of a store, in ms. */
export interface Moment {
  /** Real time, which never goes back: for durations, time limits, and what was on its way. */
  readonly real: number;
  /** The store's time, since the epoch: what it decides and reports by. */
  readonly store: number;
  /** Like `store`, frozen and advanced with it, but no step of the machine's clock moves it. Only differences mean something. */
  readonly elapsed: number;
}

/** How far a clock is moved on, in ms. */
export const advanceSyntax: Syntax<number> = {
  parse: (text) => parseDuration(text.replace(/^\+/, ""), { hasDays: true }),
  allowed: () => 'a duration, such as "61s", "10m" or "1d"',
};

/** A change of the clock as people type it, parsed to the body of a request. */
export const clockChangeSyntax: Syntax<object> = {
  parse: (text) => {
    if (text === "freeze" || text === "run") return { frozen: text === "freeze" };
    const [name, syntax] = text.startsWith("+") ? ["advance", advanceSyntax] : ["set", isoTime];
    return syntax.parse(text) === undefined ? undefined : { [name]: text };
  },
  allowed: () => "+ and a duration, such as +61s, a time in ISO 8601, freeze or run",
};

/** The store's time: everything that it says or decides by time uses this clock. */
export type StoreClock = ReturnType<typeof makeStoreClock>;

/** The last moment that ISO 8601 writes with four digits for the year: there the time stands still. */
const maxMoment = Date.UTC(10_000) - 1;

/** Makes a clock that begins at `start`, or uses the machine's, which may jump, until it is set or frozen. All in ms. */
export function makeStoreClock(machine: { now(): number; monotonic(): number }, start?: number) {
  /** How far `elapsed` is ahead of real time; while it is frozen, what it stands at. */
  let ahead = 0;
  let isFrozen = false;
  const elapsed = (real = machine.monotonic()): number => (isFrozen ? 0 : real) + ahead;
  /** How far the store's time is ahead of `elapsed`; undefined while it is the machine's. */
  let offset = start === undefined ? undefined : start - elapsed();
  const now = (at?: number): number =>
    offset === undefined
      ? machine.now()
      : Math.min(maxMoment, Math.floor((at ?? elapsed()) + offset));
  return {
    /** Returns whole ms since the epoch. */
    now: () => now(),
    moment: (): Moment => {
      const real = machine.monotonic();
      const passed = elapsed(real);
      return { real, store: now(passed), elapsed: passed };
    },
    isFrozen: (): boolean => isFrozen,
    /** Sets the time; returns false for a time in the past, or after the year 9999, and then changes nothing. */
    set: (moment: number): boolean => {
      const current = now();
      if (!(moment >= current && moment <= maxMoment)) return false;
      ahead += moment - current;
      offset = moment - elapsed();
      return true;
    },
    freeze: (frozen: boolean): void => {
      if (frozen === isFrozen) return;
      offset = now() - elapsed();
      ahead += frozen ? machine.monotonic() : -machine.monotonic();
      isFrozen = frozen;
    },
  };
}
