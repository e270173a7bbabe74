import type { RequestFacts } from "../../../src/server/request-log/request-facts.ts";

/** Returns the facts of a request with this path. */
export const factsOf = (path: string): RequestFacts => ({
  time: 0,
  remoteAddress: "127.0.0.1",
  keyId: undefined,
  method: "GET",
  path,
  status: 200,
  durationMs: 1,
  fault: undefined,
  early: false,
  requestHeaders: [],
  requestBody: undefined,
  responseHeaders: {},
  responseBody: undefined,
});
