import { STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isSystemError } from "../../core/errors.ts";
import { abortBodyRead } from "./body.ts";
import type { ConnectionTracker } from "./connection-tracker.ts";
import { ApiError } from "../routes/errors.ts";
import type { WindowState } from "../rate-limits/windows.ts";
import { replyHeaders } from "../routes/responses.ts";

/** How long a client has to read the reply and close the connection, in ms. */
const lingerMs = 1_000;

/**
 * Answers what node:http can't parse (its `clientError`) with an Error body, and closes the
 * connection. If a request on it is being answered, only that reply is sent; a request that was
 * answered before its body was complete gets no second reply. `count` counts by address, without a
 * key, because no header can be trusted.
 */
export function rejectMalformed(
  tracker: ConnectionTracker,
  now: () => number,
  count: (address: string) => WindowState | undefined,
  storeId: () => string | undefined,
) {
  const headersOf = replyHeaders(now, storeId);
  return (error: Error, connection: Duplex): void => {
    const apiError = malformedError(error);
    const isOpen = tracker.connections.has(connection) && connection.writable;
    if (isSystemError(error, "ECONNRESET") || !isOpen) connection.destroy();
    else if (abortBodyRead(connection, apiError)) return;
    else if (tracker.answeredBeforeBody(connection)) endWith(connection, "");
    else if (!isAnswering(tracker.replies, connection)) {
      const address = connection instanceof Socket ? connection.remoteAddress : undefined;
      const { body, headers } = apiError;
      endWith(connection, wholeReply(apiError, headersOf(count(address ?? ""), body, headers)));
    }
  };
}

function malformedError(error: Error): ApiError {
  const close = { Connection: "close" };
  if (isSystemError(error, "ERR_HTTP_REQUEST_TIMEOUT"))
    return new ApiError(408, "bad_request", "the request took too long to arrive", close);
  if (isSystemError(error, "HPE_HEADER_OVERFLOW"))
    return new ApiError(431, "bad_request", "the headers are too long", close);
  return new ApiError(400, "bad_request", "the request is not valid HTTP/1.1", close);
}

/** Returns whether a reply is being sent on `connection`; if so, the connection is closed after it. */
function isAnswering(replies: ConnectionTracker["replies"], connection: Duplex): boolean {
  const reply = [...replies.keys()].find((candidate) => replies.get(candidate) === connection);
  if (reply === undefined) return false;
  reply.shouldKeepAlive = false;
  reply.once("finish", () => connection.destroy());
  return true;
}

function wholeReply({ status, body }: ApiError, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}

/** Sends `text`, and closes the connection. */
function endWith(connection: Duplex, text: string): void {
  connection.end(text);
  connection.resume();
  setTimeout(() => connection.destroy(), lingerMs).unref();
}
