import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type EndedExchange, Exchange } from "../../../src/server/http/exchange.ts";

/** A request as a test describes it, and what became known of it. */
interface DescribedExchange extends Partial<Omit<Exchange, "incoming" | "outgoing">> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly isEncrypted?: boolean;
  readonly remoteAddress?: string;
}

/** Returns an exchange with 127.0.0.1:80 that has arrived, and that no server knows. */
export function exchangeOf({
  headers = { host: "127.0.0.1:80" },
  isEncrypted = false,
  remoteAddress = "127.0.0.1",
  target = "/v1/pets",
  ...more
}: DescribedExchange = {}): Exchange {
  const socket = { remoteAddress, encrypted: isEncrypted } as unknown as Socket;
  const incoming = {
    headers,
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: "1.1",
    method: "GET",
    url: target,
    socket,
  } as unknown as IncomingMessage;
  const outgoing = {} as ServerResponse;
  const { signal: stopping } = new AbortController();
  const clocks = { elapsed: () => 0, now: () => 1_000 };
  const connection = { number: 1, socket, remoteAddress, stopping };
  return Object.assign(new Exchange(incoming, outgoing, connection, clocks), more);
}

/** Like `exchangeOf`, of one that has ended. */
export function endedExchange(described: DescribedExchange = {}): EndedExchange {
  return Object.assign(exchangeOf({ isComplete: true, ...described }), {
    endedAt: described.endedAt ?? 1,
  });
}

export const sentOf = (status: number, body = "", headers = {}, at = 0, atStore = 1_000) => ({
  status,
  headers,
  body,
  at,
  atStore,
});
