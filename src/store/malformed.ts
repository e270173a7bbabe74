import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { isSystemError } from "../files/private.ts";
import { failBody } from "./body.ts";
import type { Flights } from "./flights.ts";
import { badRequest, Problem } from "./problem.ts";
import { dateHeader } from "./replies.ts";

/** How long a client has to take the answer and go, in ms. */
const farewell = 1_000;

/**
 * Answers what node:http can't make a request of (its `clientError`), with an Error body, and
 * closes the connection. While a request on it is being answered, that answer goes first and alone.
 */
export function answerMalformed({ connections, replies }: Flights, now: () => number) {
  const date = dateHeader(now);
  return (error: Error, connection: Duplex): void => {
    const problem = malformed(error);
    const isOpen = connections.has(connection) && connection.writable;
    if (isSystemError(error, "ECONNRESET") || !isOpen) connection.destroy();
    else if (failBody(connection, problem)) return;
    else if (!isAnswering(replies, connection)) sayGoodbye(connection, problem, date());
  };
}

function malformed(error: Error): Problem {
  const close = { Connection: "close" };
  if (isSystemError(error, "ERR_HTTP_REQUEST_TIMEOUT"))
    return new Problem(408, "bad_request", "the request took too long to arrive", close);
  if (isSystemError(error, "HPE_HEADER_OVERFLOW"))
    return new Problem(431, "bad_request", "the headers are too long", close);
  return new Problem(400, "bad_request", "the request is no valid HTTP/1.1", close);
}

/** Whether a reply is under way on `connection`; if so, the connection ends with it. */
function isAnswering(replies: Flights["replies"], connection: Duplex): boolean {
  const reply = [...replies.keys()].find((candidate) => replies.get(candidate) === connection);
  if (reply === undefined) return false;
  reply.shouldKeepAlive = false;
  reply.once("finish", () => connection.destroy());
  return true;
}

function sayGoodbye(connection: Duplex, { status, body }: Problem, date: string): void {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${date}`,
    "Connection: close",
  ];
  connection.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  connection.resume();
  setTimeout(() => connection.destroy(), farewell).unref();
}

/** The Problem of a request whose target or Host header can't be read. */
export function unreadableTarget(): Problem {
  return badRequest("the request target or the Host header is not valid");
}
