import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { certificateHint, startHint } from "../../client/hints.ts";
import { connectFailure } from "../../client/http/connect-failure.ts";
import { Failure } from "../../core/errors.ts";
import { isLoopbackHost } from "../../core/loopback.ts";
import { keyHint } from "../../config/key-hint.ts";
import type { ServiceConnection } from "../../config/types.ts";
import type { Context } from "../context.ts";
import type { ReplyCheck } from "./replies.ts";

/** What is sent to a store, below `/_store`. */
interface StoreRequest {
  readonly method?: "GET" | "POST";
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a store that `pets serve` runs. Each function rejects with a Failure. */
export interface StoreConnection {
  /** Returns the JSON value of the reply to `/_store/NAME`, which `check` must accept. */
  ask<T>(name: string, check: ReplyCheck<T>, request?: StoreRequest): Promise<T>;
  /** Returns the reply as a stream, which continues until it is destroyed. */
  stream(name: string, request?: StoreRequest): Promise<IncomingMessage>;
  /** Returns the value of a JSON text, which `check` must accept. Throws a service Failure. */
  parse<T>(text: string, check: ReplyCheck<T>): T;
}

/** Opens the store of this command's connection, with `/_store` in place of the base URL's `/v1`. */
export async function openStoreConnection(context: Context): Promise<StoreConnection> {
  const connection = await context.connection();
  const { baseUrl } = connection;
  const { host, pathname } = baseUrl;
  if (!/\/v1\/?$/.test(pathname)) throw notServed(host);
  const send = await sender(context, connection);
  const stream: StoreConnection["stream"] = async (name, request = {}) => {
    const reply = await send(name, request);
    if (reply.headers["x-pets-store"] === undefined) throw notServed(host);
    const { statusCode = 0 } = reply;
    if (statusCode === 404 && name === "page") throw withoutPage(host);
    if (statusCode !== 200)
      throw refused(connection, statusCode, await read(context, baseUrl, reply));
    return reply;
  };
  const parse: StoreConnection["parse"] = (text, check) => {
    const value = parseJson(text);
    if (!check(value)) throw invalidReply(host);
    return value;
  };
  return {
    stream,
    ask: async (name, check, request) =>
      parse(await read(context, baseUrl, await stream(name, request)), check),
    parse,
  };
}

async function sender({ settings, signal }: Context, { baseUrl, apiKey }: ServiceConnection) {
  const { request } =
    baseUrl.protocol === "https:" ? await import("node:https") : await import("node:http");
  return (name: string, { method = "GET", body, headers }: StoreRequest) => {
    const url = new URL(baseUrl);
    url.pathname = url.pathname.replace(/\/v1\/?$/, `/_store/${name}`);
    const options: RequestOptions = {
      method,
      signal,
      agent: false,
      headers: {
        ...headers,
        Authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
    };
    return replyTo(request(url, options), body, settings.timeoutMs, baseUrl, signal);
  };
}

function replyTo(
  request: ClientRequest,
  body: string | undefined,
  timeoutMs: number,
  baseUrl: URL,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => request.destroy(new Error("no answer in time")), timeoutMs);
    request.once("response", (reply) => {
      clearTimeout(timer);
      resolve(reply);
    });
    request.once("error", (error) => {
      clearTimeout(timer);
      reject(signal.aborted ? signal.reason : unreachable(baseUrl, error, request.socket));
    });
    request.end(body);
  });
}

/** Returns the whole text of a reply. Throws a Failure if it does not arrive in time. */
async function read(
  { settings, signal }: Context,
  baseUrl: URL,
  reply: IncomingMessage,
): Promise<string> {
  const late = new Error("no answer in time");
  const timer = setTimeout(() => reply.destroy(late), settings.timeoutMs);
  try {
    return await textOf(reply);
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(baseUrl, error);
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Returns the Failure of a request to the store; `socket` is the one that was being connected. */
function unreachable({ host, hostname }: URL, error: unknown, socket?: unknown): Failure {
  const { message, kind } = connectFailure(error, socket, `the store at ${host}`);
  const local = isLoopbackHost(hostname) ? startHint : onlyHere;
  const hint = kind === "certificate" ? certificateHint : local;
  return new Failure("unreachable", message, { cause: error, hints: [hint] });
}

const onlyHere = "a store can be inspected only from its own machine, at a loopback address";

function notServed(host: string): Failure {
  return new Failure("service", `the service at ${host} is not run by \`pets serve\``, {
    hints: ["choose a local store with --profile: `pets store state --profile local`"],
  });
}

function invalidReply(host: string): Failure {
  return new Failure("service", `the service at ${host} sent a reply that is not valid`);
}

function withoutPage(host: string): Failure {
  return new Failure("service", `the store at ${host} has no page`, {
    status: 404,
    hints: ["it has one if started without --no-page, on a loopback address of this machine"],
  });
}

function refused(connection: ServiceConnection, status: number, body: string): Failure {
  const { host } = connection.baseUrl;
  const { code, message } = errorBody(body);
  const facts = { status, ...(code !== undefined && { code }) };
  if (status === 404)
    return new Failure("service", `the store at ${host} has no such path for this request`, {
      ...facts,
      hints: [onlyHere],
    });
  const kind = status === 401 || status === 403 ? "auth" : status < 500 ? "usage" : "service";
  return new Failure(kind, message ?? `the store at ${host} answered ${status}`, {
    ...facts,
    ...(status === 401 && { hints: [keyHint(connection)] }),
  });
}

function errorBody(body: string): { readonly code?: string; readonly message?: string } {
  const { code, message } = Object(parseJson(body));
  return typeof code === "string" && typeof message === "string" ? { code, message } : {};
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
