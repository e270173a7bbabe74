import type { Exchange } from "../http/exchange.ts";
import { countBans } from "../rate-limits/bans.ts";

/** Counts requests since the start or the last reset, as `GET /_store/state` returns them. */
export function requestCounter() {
  const requests = new Map<number, number>();
  let early = 0;
  /** Those that a ban refused, one for each key and end. */
  const banned = new Map<string, { readonly key: string; readonly wait: Exchange["refusal"] }>();
  return {
    count: (exchange: Pick<Exchange, "sent" | "isEarly" | "refusal" | "keyId">): void => {
      const { sent, isEarly, refusal, keyId: key = "" } = exchange;
      const status = sent?.status ?? 0;
      requests.set(status, (requests.get(status) ?? 0) + 1);
      if (isEarly) early += 1;
      if (status !== 429 || refusal?.isBan !== true) return;
      banned.set(`${key} ${refusal.until}`, { key, wait: refusal });
    },
    /** Returns how many got each status (`0`: without a response), came during a Retry-After, and how many bans began. */
    counts: () => ({
      requests: Object.fromEntries(requests),
      early,
      bans: countBans(banned.values()),
    }),
    clear: (): void => {
      requests.clear();
      banned.clear();
      early = 0;
    },
  };
}
