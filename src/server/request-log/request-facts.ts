import type { EndedExchange } from "../http/exchange.ts";
import { captureBody } from "./body-preview.ts";
import { pageKeyId } from "./types.ts";

/** What is remembered about a request that has ended: nothing of it is parsed or masked before somebody looks. */
export interface RequestFacts {
  /** When it arrived, in ms since the epoch by the store's clock. */
  readonly time: number;
  readonly remoteAddress: string;
  readonly keyId: string | undefined;
  readonly method: string;
  /** Path and query as they arrived. */
  readonly path: string;
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** The trouble that the store made. */
  readonly fault: string | undefined;
  readonly early: boolean;
  /** Alternating names and values, like `IncomingMessage.rawHeaders`. */
  readonly requestHeaders: readonly string[];
  /** What `captureBody` keeps of it. */
  readonly requestBody: string | Uint8Array | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | Uint8Array | undefined;
}

/** Returns the facts of a request; they hold neither its connection nor its streams. */
export function factsOf(exchange: EndedExchange): RequestFacts {
  const { sent, bodyBytes } = exchange;
  return {
    time: exchange.arrivedAtStore,
    remoteAddress: exchange.remoteAddress,
    keyId: exchange.isPage ? pageKeyId : exchange.keyId,
    method: exchange.method,
    path: exchange.target,
    status: sent?.status,
    durationMs: exchange.endedAt - exchange.arrivedAt,
    fault: exchange.fault?.name,
    early: exchange.isEarly,
    requestHeaders: exchange.incoming.rawHeaders,
    requestBody: bodyBytes && captureBody(bodyBytes),
    responseHeaders: sent?.headers ?? {},
    responseBody: sent && captureBody(sent.body),
  };
}
