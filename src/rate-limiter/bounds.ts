const hour = 60 * 60_000;

/** The longest wait that is believed, in ms: one that is announced longer is remembered as this (rate-limits.md). */
export const maxWaitMs = 24 * hour;

/** A reset that is further away is not believed, in ms (rate-limits.md, How long). */
export const maxResetAheadMs = 25 * hour;
