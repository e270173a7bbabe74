/** What `GET /_store/state` tells of the requests below /v1 since the start or the last reset. */
export interface RequestCounts {
  /** How many got each status; `0` counts those that got none. */
  readonly requests: Readonly<Record<string, number>>;
  /** How many came inside a Retry-After. */
  readonly early: number;
  /** How many bans began. */
  readonly bans: number;
}

/** Counts from nothing. */
export function requestCounter() {
  const requests = new Map<number, number>();
  let early = 0;
  /** When the ban of each key ends: another end is another ban. */
  const bans = new Map<string, number>();
  let banned = 0;
  return {
    countReply: (status: number): void => {
      requests.set(status, (requests.get(status) ?? 0) + 1);
    },
    countEarly: (): void => {
      early += 1;
    },
    countBan: (keyId: string, until: number): void => {
      if (bans.get(keyId) !== until) banned += 1;
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

export type RequestCounter = ReturnType<typeof requestCounter>;
