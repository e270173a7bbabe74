import { LocalStore } from "../../../src/client/local-store.ts";
import type { Runtime } from "../../../src/commands/runtime.ts";
import { store } from "../../../src/commands/store/command.ts";
import type { TypedOptions } from "../../../src/config/settings.ts";
import type { RequestEntry } from "../../../src/server/request-log/types.ts";
import { secretsOf } from "../../support/command/secrets.ts";
import { recordOutput } from "../../support/command/terminal.ts";
import { profileTest } from "../profile-context.ts";

interface StoreOptions {
  /** Of a terminal. */
  readonly columns?: number | undefined;
  readonly service?: object;
  readonly runtime?: Partial<Runtime>;
  readonly input?: Uint8Array;
}

/** Returns a context whose connection is to `baseUrl`, what runs `pets store` in it, and what is printed. */
export function storeContext(
  baseUrl: string,
  globals: TypedOptions = {},
  { columns, service, runtime, input = Buffer.alloc(0) }: StoreOptions = {},
) {
  const stdout = recordOutput(columns === undefined ? {} : { isTTY: true, columns });
  const abort = new AbortController();
  const localStore = async () =>
    new LocalStore({
      baseUrl: new URL(baseUrl),
      apiKey: storeKey,
      secrets: secretsOf(storeKey),
      timeoutMs: world.context.settings.timeoutMs,
      userAgent: "pets/1",
      env: world.context.env,
      clock: world.context.clock,
      signal: abort.signal,
      onEvent: () => {},
    });
  const world = profileTest({
    globals,
    input,
    runtime: { stdout, signal: abort.signal, ...runtime },
    service: { localStore, ...service },
  });
  const run = (...words: string[]) => world.run(store, ...words);
  return { context: world.context, run, stdout, stderr: world.stderr, abort };
}

/** The key for the store. */
export const storeKey = "pk_1-and-so-on";

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
