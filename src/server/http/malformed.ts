import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { isSystemError } from "../../core/errors.ts";
import { ApiError } from "../api/errors.ts";
import type { ApiResponse, RouteResponse } from "../api/response.ts";
import { abortBodyRead } from "./body.ts";
import { type ConnectionTracker, isAnsweredBeforeBody } from "./connection-tracker.ts";
import type { Connection } from "./exchange.ts";

/** How long a client has to read the response and close the connection, in ms. */
const lingerMs = 1_000;

/**
 * Answers what node:http cannot parse (its `clientError`) with an Error body, and closes the
 * connection. If a request on it is being answered, only that response is sent; a request that was
 * answered before its body was complete gets no second one. `complete` adds the headers of every response, and
 * those of an address without a key, because no header can be trusted.
 */
export function rejectMalformed(
  tracker: ConnectionTracker,
  complete: (response: RouteResponse, remoteAddress: string) => ApiResponse,
) {
  return (error: Error, socket: Duplex): void => {
    const apiError = malformedError(error);
    const connection = tracker.connections.get(socket);
    if (isSystemError(error, "ECONNRESET") || connection === undefined || !socket.writable)
      socket.destroy();
    else if (abortBodyRead(connection, apiError)) return;
    else if (isAnsweredBeforeBody(tracker, connection)) endWith(socket, "");
    else if (!closeAfterCurrent(tracker, connection)) {
      const { remoteAddress = "" } = connection.socket;
      endWith(socket, messageOf(complete(apiError, remoteAddress)));
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

/** Returns whether a response is being sent on `connection`; if so, the connection is closed after it. */
function closeAfterCurrent({ open }: ConnectionTracker, connection: Connection): boolean {
  const current = [...open].find((exchange) => exchange.connection === connection);
  if (current === undefined) return false;
  current.outgoing.shouldKeepAlive = false;
  current.outgoing.once("finish", () => connection.socket.destroy());
  return true;
}

function messageOf({ status, body, headers }: ApiResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body.toString()}`;
}

/** Sends `text`, and closes the connection. */
function endWith(connection: Duplex, text: string): void {
  connection.end(text);
  connection.resume();
  setTimeout(() => connection.destroy(), lingerMs).unref();
}
