import type { Exchange } from "../http/exchange.ts";
import { inFlightGraceMs } from "../rate-limits/limits.ts";

/** A wait of a key: for its limits, for a ban, or for a forced 429. */
interface Wait {
  readonly code: "rate_limited" | "key_banned" | "forced";
  /** Ms since the epoch by the store's clock. */
  readonly until: number;
}

/**
 * Tracks the waits announced to keys. A response may be delayed, and a client knows about a wait only after
 * it was sent, in real time: that is why the limits cannot do this themselves.
 */
export function announcedWaits() {
  /** With when the first response was sent that announced it, by the clock of `Exchange.sentAt`. */
  const waits = new Map<string, Wait & { readonly announcement: { readonly sentAt: number } }>();
  return {
    /** Returns the wait in force at `now`, and whether a request was sent before its client could know about it. */
    inForce: (keyId: string, { arrivedAt }: Exchange, now: number) => {
      const wait = waits.get(keyId);
      if (wait === undefined || wait.until <= now) return undefined;
      return { ...wait, isOnTheWay: arrivedAt <= wait.announcement.sentAt + inFlightGraceMs };
    },
    /** Notes that the response to `exchange`, decided at `now`, announces a wait. */
    announce: (keyId: string, exchange: Exchange, { code, until }: Wait, now: number): void => {
      const earlier = waits.get(keyId);
      const isSameKind = (earlier?.code === "forced") === (code === "forced");
      const goesOn = earlier !== undefined && earlier.until > now && isSameKind;
      exchange.announcement = goesOn ? earlier.announcement : { sentAt: Infinity };
      waits.set(keyId, { code, until, announcement: exchange.announcement });
    },
    clear: (): void => waits.clear(),
  };
}
