import type { RequestFacts } from "../../../src/server/request-log/request-entry.ts";

/** Returns the facts of a request with this path. */
export const factsOf = (path: string): RequestFacts => ({
  time: 0,
  remoteAddress: "127.0.0.1",
  keyId: null,
  method: "GET",
  path,
  status: 200,
  durationMs: 1,
  fault: null,
  early: false,
  requestHeaders: [],
  requestBody: "",
  responseHeaders: {},
  responseBody: "",
});
