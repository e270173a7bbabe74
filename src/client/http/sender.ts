import type { Clock, Environment } from "../../platform/io.ts";
import { codeOf, ConnectFailure } from "./connect-failure.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { createConnect } from "./connector.ts";
import { Deadline, type StopReason } from "./deadline.ts";
import { decodeBody } from "./decode-body.ts";
import {
  exchange,
  type ExchangeObserver,
  type ExchangeResult,
  type HttpRequest,
} from "./exchange.ts";
import type { AttemptOutcome } from "./outcome.ts";
import { chooseProxy } from "./proxy.ts";

/** Sends a request once and reads its reply: an AttemptOutcome; rejects only for an internal error. */
export type Sender = (request: HttpRequest, observer: ExchangeObserver) => Promise<AttemptOutcome>;

/** What a Sender needs. */
export interface SenderOptions {
  readonly baseUrl: URL;
  /** Names the proxies. */
  readonly env: Environment;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** For one send: connecting, sending and the whole reply. */
  readonly timeoutMs: number;
  /** Aborts the requests in flight. */
  readonly signal: AbortSignal;
}

/** The maximum size of a body in bytes, compressed or not. */
const maxBytes = 8 * 1024 * 1024;

/**
 * Creates a Sender to the origin of `baseUrl` over undici: HTTP/1.1, no redirects followed, connections reused while
 * fresh. Throws a usage Failure if the environment names a proxy that can't be used.
 */
export function createSender(options: SenderOptions): Sender {
  const { baseUrl, env, clock, timeoutMs, signal } = options;
  const connect = createConnect(chooseProxy(baseUrl, env));
  const connections = new ConnectionPool(baseUrl.origin, connect, () => clock.monotonic());
  signal.addEventListener("abort", () => connections.abort(), { once: true });
  return async (request, observer) => {
    const deadline = new Deadline(timeoutMs);
    try {
      const connection = await connections.acquire(deadline);
      if (signal.aborted) deadline.stop("aborted");
      const bounds = { deadline, observer, maxBytes, now: () => clock.now() };
      const result = await exchange(connection.client, request, bounds);
      if (result.end === "complete") connections.release(connection);
      else connections.destroy(connection);
      return await outcomeOf(result, deadline.reason);
    } finally {
      deadline.dispose();
    }
  };
}

/** Returns what `result` means; `stopReason` is why it was stopped, if it was. Throws internal errors. */
async function outcomeOf(
  result: ExchangeResult,
  stopReason: StopReason | undefined,
): Promise<AttemptOutcome> {
  const { head, end, started } = result;
  if (stopReason === "aborted" && end === "stopped") return { kind: "aborted", sent: started };
  if (!started) return fromUnsent(end);
  const isWhole = end === "complete" && head !== undefined;
  const decoded = isWhole && (await decodeBody(result.body, head.contentEncoding, maxBytes));
  if (decoded && "text" in decoded)
    return { kind: "reply", reply: { ...head, body: decoded.text } };
  // The body of a reply that is not a success is optional: its status is enough.
  if (head !== undefined && (head.status < 200 || head.status > 299))
    return { kind: "reply", reply: { ...head, body: undefined } };
  if (decoded) return { kind: decoded.fault, head };
  if (end === "too_large") return { kind: "too_large", head };
  return end === "stopped" ? { kind: "timeout" } : fromBrokenReply(result);
}

/** Returns the outcome of a request that was not sent: connecting failed, or the connection broke before the send. */
function fromUnsent(end: ExchangeResult["end"]): AttemptOutcome {
  if (end === "stopped")
    return { kind: "never_sent", reason: "no connection in time", timedOut: true };
  const error = typeof end === "object" ? end.error : undefined;
  if (error instanceof ConnectFailure) return error.outcome;
  if (!(error instanceof Error) || isProgrammingError(error)) throw error;
  return { kind: "never_sent", reason: "the connection broke" };
}

/** Returns whether `error` means that undici was used wrongly, or has a bug. */
function isProgrammingError(error: Error): boolean {
  const code = codeOf(error);
  return code === "UND_ERR_INVALID_ARG" || code === "ERR_ASSERTION" || error instanceof TypeError;
}

/** Returns the outcome of an exchange that started and failed: before the reply, within it, or because of it. */
function fromBrokenReply({ head, answered, end }: ExchangeResult): AttemptOutcome {
  const error = typeof end === "object" ? end.error : undefined;
  if (isMalformedResponse(error, head !== undefined)) return { kind: "malformed" };
  return answered ? { kind: "cut_off", head } : { kind: "reset" };
}

/** Returns whether the response is not HTTP. undici 8's parser errors have a name but no code; one is an early end. */
function isMalformedResponse(error: unknown, hasHead: boolean): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "HTTPParserError") return !error.message.includes("EOF");
  const code = codeOf(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return true;
  // Without a head: two lengths in it. With one: a body that is too short.
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return !hasHead;
  return error.message === "bad response" || error.message === "bad upgrade";
}
