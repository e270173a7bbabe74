import type { RequestEntry } from "../../../../src/server/request-log/types.ts";

/** Returns the entry of a request with this number. */
export const entryOf = (number: number): RequestEntry => ({
  id: `s-${number}`,
  time: "2026-11-05T12:00:00.000Z",
  remoteAddress: "127.0.0.1",
  keyId: "abc",
  method: "GET",
  path: number === 3 ? "/v1/pets?limit=5" : `/v1/pets?${number}`,
  status: 200,
  durationMs: 0.4,
  limits: { limit: 2_147_483_647, remaining: 2_147_483_647, resetAt: "2026-11-05T12:01:00.000Z" },
  fault: null,
  early: false,
  requestHeaders: { Host: "127.0.0.1" },
  requestBody: "",
  responseHeaders: { "Content-Type": "application/json" },
  responseBody: '[{"id":9223372036854775807}]',
  truncated: false,
});
