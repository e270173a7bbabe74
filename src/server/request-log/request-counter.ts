/**
 * What `GET /_store/state` returns about the requests below /v1, since the start or the last reset.
 */
export interface RequestCounts {
  /** How many got each status; `0` counts those without a response. */
  readonly requests: Readonly<Record<string, number>>;
  /** How many arrived during a Retry-After. */
  readonly early: number;
  /** How many bans began. */
  readonly bans: number;
}

/** Ends that differ by less than this, in ms, belong to one ban: they may be by two clocks. */
const toleranceMs = 60_000;

/** Returns a counter that starts at zero. */
export function requestCounter() {
  const requests = new Map<number, number>();
  let early = 0;
  /** When the ban of each key ends: a different end means a different ban. */
  const bans = new Map<string, number>();
  let banned = 0;
  return {
    countResponse: (status: number): void => {
      requests.set(status, (requests.get(status) ?? 0) + 1);
    },
    countEarly: (): void => {
      early += 1;
    },
    countBan: (keyId: string, until: number): void => {
      if (Math.abs(until - (bans.get(keyId) ?? 0)) > toleranceMs) banned += 1;
      bans.set(keyId, until);
    },
    counts: (): RequestCounts => ({ requests: Object.fromEntries(requests), early, bans: banned }),
    clear: (): void => {
      requests.clear();
      bans.clear();
      early = 0;
      banned = 0;
    },
  };
}
