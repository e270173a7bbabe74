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
  /** The id of the valid key that it carried, `page` for a request of the page, null without either. */
  readonly keyId: string | null;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Null where nothing was answered. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly limits: EntryLimits | null;
  /** The fault that was injected. */
  readonly fault: string | null;
  /** Whether it came inside a Retry-After. */
  readonly early: boolean;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  /** Whether one of the bodies was cut at 4 KiB. */
  readonly truncated: boolean;
}

/** Who sent a request that was let in without a key: the page. */
export const pageKeyId = "page";
