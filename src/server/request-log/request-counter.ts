import type { Exchange } from "../http/exchange.ts";

/** Ends that differ by less than this, in ms, belong to one ban: they may be by two clocks. */
const toleranceMs = 60_000;

/** Counts requests since the start or the last reset, as `GET /_store/state` returns them. */
export function requestCounter() {
  const requests = new Map<number, number>();
  let early = 0;
  /** When the ban of each key ends: a different end means a different ban. */
  const ends = new Map<string, number>();
  let bans = 0;
  return {
    count: (exchange: Pick<Exchange, "sent" | "isEarly" | "refusal" | "keyId">): void => {
      const { sent, isEarly, refusal, keyId = "" } = exchange;
      const status = sent?.status ?? 0;
      requests.set(status, (requests.get(status) ?? 0) + 1);
      if (isEarly) early += 1;
      if (refusal?.isBan !== true) return;
      if (Math.abs(refusal.until - (ends.get(keyId) ?? 0)) > toleranceMs) bans += 1;
      ends.set(keyId, refusal.until);
    },
    /** Returns how many got each status (`0`: without a response), came during a Retry-After, and how many bans began. */
    counts: () => ({ requests: Object.fromEntries(requests), early, bans }),
    clear: (): void => {
      requests.clear();
      ends.clear();
      early = 0;
      bans = 0;
    },
  };
}
