import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import {
  type EndedExchange,
  type Exchange,
  openExchange,
} from "../../../src/server/http/exchange.ts";
import { isBelow, requestPath } from "../../../src/server/http/request-intake.ts";

/** A request as a test describes it, and what became known of it. */
interface DescribedExchange extends Partial<Omit<Exchange, "incoming" | "outgoing">> {
  readonly headers?: Readonly<Record<string, string>>;
  /** What a client sends as its body. */
  readonly content?: string;
  readonly isEncrypted?: boolean;
}

/** Returns an exchange with 127.0.0.1:80 that has arrived, and that no server knows. */
export function exchangeOf({
  headers = { host: "127.0.0.1:80" },
  content = "",
  isEncrypted = false,
  target = "/v1/pets",
  ...more
}: DescribedExchange = {}): Exchange {
  const socket = {
    remoteAddress: "127.0.0.1",
    localPort: 80,
    ...(isEncrypted && { encrypted: true }),
  } as unknown as Socket;
  const incoming = Object.assign(Readable.from(content === "" ? [] : [Buffer.from(content)]), {
    headers,
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: "1.1",
    socket,
  }) as unknown as IncomingMessage;
  const path = requestPath(target);
  const connection = {
    number: 1,
    socket,
    isClosing: false,
    latest: undefined,
    bodyError: undefined,
    abortBody: undefined,
    onReset: undefined,
  };
  const arrived = openExchange({
    incoming,
    outgoing: {} as ServerResponse,
    connection,
    method: "GET",
    target,
    path,
    isService: isBelow(path, "/v1"),
    hasValidHost: true,
    arrivedAt: 0,
    arrivedAtStore: 1_000,
  });
  return Object.assign(arrived, more);
}

/** Like `exchangeOf`, of one that has ended. */
export function endedExchange(described: DescribedExchange = {}): EndedExchange {
  return Object.assign(exchangeOf({ isComplete: true, ...described }), {
    endedAt: described.endedAt ?? 1,
  });
}

/** What a store sends. */
export const sentOf = (status: number, body = "", headers = {}) => ({ status, headers, body });
