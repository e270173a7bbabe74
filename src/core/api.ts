/** Bounds of `limit` on `GET /pets` (api.md, Page size). */
export const pageSize = { min: 1, max: 100, default: 20 } as const;

/** When `GET /pets/{petId}` is removed (api.md, Versioning), in ms since the epoch. */
export const getRemovedAt = Date.UTC(2030, 11, 5);
