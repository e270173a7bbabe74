import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { isSystemError } from "../../core/errors.ts";
import { ApiError } from "../api/errors.ts";
import type { ApiResponse, RouteResponse } from "../api/response.ts";
import type { Connection } from "./exchange.ts";

/** How long a client has to read the response and close the connection, in ms. */
const lingerMs = 1_000;

/**
 * Answers what node:http cannot parse (its `clientError`) with an Error body, and closes the
 * connection. If a request on it is being answered, only that response is sent; a request that was
 * answered before its body was complete gets no second one. `complete` adds the headers of every response, and
 * those of an address without a key, because no header can be trusted; it returns undefined before the store is served.
 */
export function rejectMalformed(
  connections: ReadonlyMap<Duplex, Connection>,
  complete: (response: RouteResponse, remoteAddress: string) => ApiResponse | undefined,
) {
  return (error: Error, socket: Duplex): void => {
    const connection = connections.get(socket);
    if (isSystemError(error, "ECONNRESET") || connection === undefined || !socket.writable)
      return void socket.destroy();
    const { current, isBusy, remoteAddress, failBody } = connection;
    const apiError = malformedError(error);
    connection.bodyError = apiError;
    if (failBody !== undefined && current?.incoming.complete === false) return failBody(apiError);
    if (isBusy && current !== undefined) {
      current.outgoing.shouldKeepAlive = false;
      return void current.outgoing.once("finish", () => socket.destroy());
    }
    const isAnswered = current?.incoming.complete === false;
    const response = isAnswered ? undefined : complete(apiError, remoteAddress);
    socket.end(response === undefined ? "" : messageOf(response));
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMs).unref();
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

function messageOf({ status, body, headers }: ApiResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body.toString()}`;
}
