import type { IncomingMessage, ServerResponse } from "node:http";
import { longestBody } from "./body.ts";
import { authorize } from "../routes/auth.ts";
import type { WindowState } from "../rate-limits/windows.ts";
import { petHandlers } from "../routes/pets.ts";
import { type ApiError, toApiError } from "../routes/errors.ts";
import { replyHeaders } from "../routes/responses.ts";
import type { RouteParts } from "../routes/routes.ts";
import type { Answer } from "./server.ts";
import type { JsonBytes } from "../storage/storage.ts";

/** What a request that takes the short cut comes to. */
interface Outcome {
  readonly status: number;
  readonly body: string | JsonBytes;
  readonly headers?: Readonly<Record<string, string>>;
}

type Operation = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<Outcome>;

/** Hosts of which no more need be asked: names and IPv4 addresses, in small letters. */
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]?\d{1,4}|6[0-4]\d{3}))?$/;

/**
 * `answer`, with a short cut for `GET /v1/pets` and `POST /v1/pets`, which are nearly all that a store
 * is asked: the same rules, without the wrapping of requests and replies, which costs more than they
 * do. Whatever is unusual about a request leaves it to `answer`.
 */
export function withShortCut(parts: RouteParts, answer: Answer): Answer {
  const admit = authorize(parts);
  const headersOf = replyHeaders(parts.now);
  const choose = chooser(parts);
  const run = async (
    operation: Operation,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    let window: WindowState | undefined;
    const outcome = await admit(incoming, (told) => {
      window = told;
    })
      .then(() => operation(incoming, outgoing))
      .catch((error) => failure(toApiError(error, parts)));
    const { status, body, headers } = outcome;
    if (outgoing.destroyed) return;
    outgoing.writeHead(status, headersOf(window, body, headers)).end(body);
  };
  return (incoming, outgoing) => {
    const operation = choose(incoming);
    return operation === undefined
      ? answer(incoming, outgoing)
      : run(operation, incoming, outgoing);
  };
}

function failure({ status, body, headers }: ApiError): Outcome {
  return { status, body, headers };
}

function chooser({ storage }: RouteParts) {
  const { list, add } = petHandlers(storage);
  const get: Operation = async ({ url = "" }) => ({ status: 200, body: await list(url) });
  const post: Operation = async (incoming, outgoing) => ({
    status: 201,
    body: await add(incoming, outgoing),
  });
  return ({ method, url = "", headers }: IncomingMessage): Operation | undefined => {
    if (!plainHost.test(headers.host ?? "") || headers["transfer-encoding"] !== undefined)
      return undefined;
    const length = headers["content-length"];
    if (method === "GET" && length === undefined)
      return url === "/v1/pets" || url.startsWith("/v1/pets?") ? get : undefined;
    if (method !== "POST" || url !== "/v1/pets" || headers.expect !== undefined) return undefined;
    return Number(length) <= longestBody ? post : undefined;
  };
}
