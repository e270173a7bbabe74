import type { RawGlobals } from "../../../src/config/types.ts";
import type { RequestEntry } from "../../../src/server/inspect/types.ts";
import { recordOutput } from "../../support/command/terminal.ts";
import { profileTest } from "../profile-context.ts";

/** Returns a context whose connection is to `baseUrl`, with what is printed; `columns` are those of a terminal. */
export function storeContext(baseUrl: string, globals: RawGlobals = {}, columns?: number) {
  const world = profileTest({ globals });
  const stdout = recordOutput(columns === undefined ? {} : { isTTY: true, columns });
  const abort = new AbortController();
  const connection = async () => ({ baseUrl: new URL(baseUrl), apiKey: "pk_1" });
  const context = { ...world.context, stdout, connection, signal: abort.signal };
  return { context, stdout, stderr: world.stderr, abort };
}

/** The header that `pets serve` sends with each reply. */
export const ownHeaders = { "X-Pets-Store": "0123456789abcdef" };

/** Returns an entry of the log of requests. */
export function entryOf(id: string, more: Partial<RequestEntry> = {}): RequestEntry {
  return {
    id,
    time: "2026-11-22T10:00:00.042Z",
    remoteAddress: "127.0.0.1",
    keyId: "00ff",
    method: "GET",
    path: "/v1/pets",
    status: 200,
    durationMs: 1.5,
    limits: null,
    fault: null,
    early: false,
    requestHeaders: { Host: "localhost" },
    requestBody: "",
    responseHeaders: {},
    responseBody: "[]",
    truncated: false,
    ...more,
  };
}
