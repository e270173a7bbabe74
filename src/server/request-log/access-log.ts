import type { ExchangeListener } from "../http/exchange.ts";
import type { RequestMasks } from "../secrets.ts";

/** One request and its response, without any key. */
export interface AccessLogEntry {
  /** The client's IP address; empty if it is no longer known. */
  readonly address: string;
  readonly method: string;
  /** Path and query as they arrived; untrusted text. */
  readonly target: string;
  /** 0 without a response: the client left, or there was a fault. */
  readonly status: number;
  /** The trouble that the store made. */
  readonly fault: string | undefined;
  /** Whether the page sent it. */
  readonly isPage: boolean;
  readonly ms: number;
}

/** Returns a listener that reports each request, with keys masked as `maskOf` says. */
export function accessLog(
  report: (entry: AccessLogEntry) => void,
  maskOf: RequestMasks["maskOf"],
): ExchangeListener {
  return (exchange) => {
    const { remoteAddress: address, method, target, sent, fault, isPage, endedAt } = exchange;
    report({
      address,
      method,
      target: maskOf(exchange.incoming.rawHeaders)(target),
      status: sent?.status ?? 0,
      fault: fault?.name,
      isPage,
      ms: endedAt - exchange.arrivedAt,
    });
  };
}
