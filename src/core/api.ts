import type { planNames } from "./enums.ts";

export const pageSize = { min: 1, max: 100, default: 20 } as const;

/** When `GET /pets/{petId}` is removed, in ms since the epoch. */
export const getRemovedAt = Date.UTC(2030, 11, 5);

/** How many requests a key may make; `Infinity` is no limit. */
export interface Allowance {
  readonly perMinute: number;
  readonly perDay: number;
}

export const planAllowances = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: Infinity, perDay: Infinity },
} as const satisfies Record<(typeof planNames)[number], Allowance>;

/** What the rate limit headers say if there is no limit. */
export const unlimited = 2_147_483_647;

/** The maximum number of animals of `pets serve --seed`: they stay in memory for resets. */
export const maxSeed = 1_000_000;
