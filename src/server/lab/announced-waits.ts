import type { Exchange } from "../http/exchange.ts";
import { inFlightGraceMs } from "../rate-limits/limits.ts";

/** Why a key has to wait: for its limits, for a ban, or for a forced 429. */
type WaitCode = "rate_limited" | "key_banned" | "forced";

/** A wait of a key. `until` is ms since the epoch by the store's clock. */
interface Wait {
  readonly code: WaitCode;
  readonly until: number;
}

/** A wait, and when the first response was sent that announced it, by the clock of `Exchange.sentAt`. */
interface AnnouncedWait extends Wait {
  readonly announcement: { readonly sentAt: number };
}

/** A wait during which a request came. */
interface WaitInForce extends Wait {
  /** Whether the request was sent before its client could know about the wait. */
  readonly isOnTheWay: boolean;
}

/**
 * Tracks the waits announced to keys. A response may be delayed, and a client knows about a wait only after
 * it was sent, in real time: that is why the limits cannot do this themselves.
 */
export function announcedWaits() {
  const waits = new Map<string, AnnouncedWait>();
  return {
    /** Returns the wait in force at `now` for a request of the key. */
    inForce: (keyId: string, { arrivedAt }: Exchange, now: number): WaitInForce | undefined => {
      const wait = waits.get(keyId);
      if (wait === undefined || wait.until <= now) return undefined;
      const { code, until, announcement } = wait;
      return { code, until, isOnTheWay: arrivedAt <= announcement.sentAt + inFlightGraceMs };
    },
    /** Notes that the response to `exchange`, decided at `now`, announces a wait. */
    announce: (keyId: string, exchange: Exchange, { code, until }: Wait, now: number): void => {
      const earlier = waits.get(keyId);
      const goesOn =
        earlier !== undefined && earlier.until > now && isForced(earlier) === (code === "forced");
      const announcement = goesOn ? earlier.announcement : { sentAt: Infinity };
      waits.set(keyId, { code, until, announcement });
      exchange.announcement = announcement;
    },
    clear: (): void => waits.clear(),
  };
}

function isForced({ code }: Wait): boolean {
  return code === "forced";
}
