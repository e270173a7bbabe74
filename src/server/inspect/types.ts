/** What the rate-limit headers of a reply said. */
export interface EntryLimits {
  readonly limit: number;
  readonly remaining: number;
  /** ISO 8601, UTC. */
  readonly resetAt: string;
}

/** A request below /v1 that has ended, as `GET /_store/requests` shows it (store.md, Seeing what happens). */
export interface RequestEntry {
  /** `STOREID-N`, where N ascends. */
  readonly id: string;
  /** When it arrived by the store's clock: ISO 8601, UTC. */
  readonly time: string;
  readonly remoteAddress: string;
  /** The id of its valid key, `page` for a request of the page, null without either. */
  readonly keyId: string | null;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Null if there was no reply. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly limits: EntryLimits | null;
  /** The fault that was injected. */
  readonly fault: string | null;
  /** Whether it arrived during a Retry-After. */
  readonly early: boolean;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  /** Whether one of the bodies was cut at 4 KiB. */
  readonly truncated: boolean;
}

/** The `keyId` of a request that was admitted without a key: that of the page. */
export const pageKeyId = "page";
