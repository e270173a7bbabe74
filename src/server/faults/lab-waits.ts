import { inFlightGraceMs } from "../rate-limits/limits.ts";

/** Why a key was told to wait: by its limits, for a ban, or by the lab alone. */
export type WaitCode = "rate_limited" | "key_banned" | "forced";

/** A wait that a key was told of. Moments are ms since the epoch, by the store's clock. */
interface Wait {
  readonly code: WaitCode;
  readonly until: number;
  readonly announcedAt: { at: number };
}

interface Decided {
  readonly code: WaitCode;
  readonly until: number;
  readonly now: number;
}

/** A wait that a request came into. */
interface ActiveWait {
  readonly code: WaitCode;
  readonly until: number;
  /** Whether the request was on its way before the wait could be known. */
  readonly isOnTheWay: boolean;
}

/**
 * The waits that keys were told of. A reply may be held back, and a wait is known from when it went
 * out: that is why this is not left to the limits.
 */
export function labWaits(clock: () => number) {
  const waits = new Map<string, Wait>();
  return {
    /** The wait in force at `moment` for a request that arrived at `arrivedAt`. */
    meet: (keyId: string, arrivedAt: number, moment: number): ActiveWait | undefined => {
      const wait = waits.get(keyId);
      if (wait === undefined || wait.until <= moment) return undefined;
      const { code, until, announcedAt } = wait;
      return { code, until, isOnTheWay: arrivedAt <= announcedAt.at + inFlightGraceMs };
    },
    /** Remembers a wait decided on at `now`; what is answered has to be called when it is told. */
    announce: (keyId: string, { code, until, now }: Decided): (() => void) => {
      const earlier = waits.get(keyId);
      const goesOn =
        earlier !== undefined && earlier.until > now && isForced(earlier) === (code === "forced");
      const announcedAt = goesOn ? earlier.announcedAt : { at: Infinity };
      waits.set(keyId, { code, until, announcedAt });
      return () => {
        announcedAt.at = Math.min(announcedAt.at, clock());
      };
    },
    clear: (): void => waits.clear(),
  };
}

function isForced({ code }: Wait): boolean {
  return code === "forced";
}
