import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Moment } from "../../../src/server/clock.ts";
import {
  Arrived,
  carriedOut,
  type Decision,
  type Ended,
} from "../../../src/server/http/exchange.ts";

/** A request as a test describes it, and what became of it. */
interface Described
  extends
    Partial<Omit<Ended, "request" | "decision">>,
    Partial<Omit<Decision, "carryOut" | "reply">> {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isEncrypted?: boolean;
  readonly remoteAddress?: string;
  /** When it arrived, by each of the clocks. */
  readonly at?: Partial<Moment>;
}

/** Returns a moment; all of the store's clocks are at one second. */
const momentOf = (moment: Partial<Moment> = {}): Moment => ({
  real: 0,
  store: 1_000,
  elapsed: 1_000,
  ...moment,
});

/** Returns the moment at which all clocks are at `ms`. */
export const momentAt = (ms: number): Moment => ({ real: ms, store: ms, elapsed: ms });

/** Returns the moments of a request that is decided as it arrives. */
export const momentsAt = (ms: number) => ({ arrived: momentAt(ms), now: momentAt(ms) });

/** Returns a request to 127.0.0.1:80 that has arrived, and that no server knows. */
export function arrivedRequest({
  method = "GET",
  target = "/v1/pets",
  headers = { host: "127.0.0.1:80" },
  isEncrypted = false,
  remoteAddress = "127.0.0.1",
  at,
}: Described = {}): Arrived {
  const socket = { remoteAddress, encrypted: isEncrypted } as unknown as Socket;
  const incoming = {
    headers,
    rawHeaders: Object.entries(headers).flat(),
    httpVersion: "1.1",
    method,
    url: target,
    socket,
  } as unknown as IncomingMessage;
  const { signal: stopping } = new AbortController();
  const connection = { number: 1, socket, remoteAddress, stopping };
  return new Arrived(incoming, {} as ServerResponse, connection, () => momentOf(at));
}

/** Returns a request like `arrivedRequest` that has ended. */
export function endedRequest(described: Described = {}): Ended {
  const { isEarly = false, fault, refusal, window } = described;
  return {
    request: arrivedRequest(described),
    decision: { ...carriedOut, isEarly, fault, refusal, window },
    isPage: false,
    sent: undefined,
    added: undefined,
    isComplete: true,
    leftAt: undefined,
    endedAt: 1,
    ...described,
  };
}

export const sentOf = (status: number, body = "", headers = {}, at: Partial<Moment> = {}) => ({
  status,
  headers,
  body,
  at: momentOf(at),
});
