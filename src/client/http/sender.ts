import { isUtf8 } from "node:buffer";
import { type Dispatcher, Pool } from "undici";
import { errorCode, usageFailure } from "../../core/errors.ts";
import { type Clock, type Environment, maxTimerMs } from "../../platform/io.ts";
import { ConnectFailure } from "./connect-failure.ts";
import { type Connector, createConnector } from "./connect.ts";
import { type AttemptOutcome, onlyHttp2 } from "./outcome.ts";
import { type Headers, parseReplyHead, type ReplyHead } from "./reply-head.ts";

export type Method = "GET" | "POST";

export interface HttpRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface SendHooks {
  /** Called once connected, before the first byte is written; false keeps the request from being sent. */
  beforeSend?(): boolean;
  onHead?(head: ReplyHead): void;
  /** If given, called with each part of the body of a 200, which is then not stored; `flow` pauses and resumes reading. */
  onData?(chunk: Uint8Array, flow: Pick<Dispatcher.DispatchController, "pause" | "resume">): void;
}

/** Sends a request once and reads its reply: an AttemptOutcome; rejects only for an internal error. */
type Sender = (request: HttpRequest, hooks: SendHooks) => Promise<AttemptOutcome>;

export interface SenderOptions {
  readonly baseUrl: URL;
  readonly env: Environment;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** For one send: connecting, sending and the whole reply, or its head if `onData` is given. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Ends an attempt that is not sent yet; by default `signal`. */
  readonly connectSignal?: AbortSignal;
  readonly maxBytes?: number;
}

const defaultMaxBytes = 8 * 1024 * 1024;
/** No connection that idled for longer is used again: services close some after 100 ms, and a POST on it is in doubt. */
const maxIdleMs = 50;
/** How long a connection must stay open after a reply; a service that closes it does so at once. */
const watchMs = 20;

/** What undici throws when it is used wrongly, or has a bug. */
const internalCode = /^(?:UND_ERR_INVALID_ARG|ERR_ASSERTION)$/;

/**
 * Creates a Sender to the origin of `baseUrl`, over HTTP/1.1; redirects are not followed. Throws a usage Failure if
 * the environment names a proxy that can't be used, or Node.js has no WebAssembly.
 *
 * Many services close a connection after each reply without announcing it, which leaves a POST on it with an unknown
 * outcome. So the first connection that becomes idle is watched before any is reused.
 */
export function createSender(options: SenderOptions): Sender {
  const { baseUrl, env, clock, timeoutMs, maxBytes = defaultMaxBytes } = options;
  // Without it undici can parse no response.
  if (!("WebAssembly" in globalThis))
    throw usageFailure(
      "Node.js runs with --jitless, and no request can be sent without WebAssembly",
      "Remove --jitless from NODE_OPTIONS.",
    );
  const connector = createConnector(baseUrl, env, timeoutMs);
  /** Whether a connection is used again; else each request has a new one. */
  let keeps = true;
  const openPool = (): Pool =>
    new Pool(baseUrl.origin, {
      connect: connector.connect,
      allowH2: false,
      pipelining: keeps ? 1 : 0,
      keepAliveTimeout: maxIdleMs,
      keepAliveMaxTimeout: maxIdleMs,
      keepAliveTimeoutThreshold: maxIdleMs,
      maxResponseSize: maxBytes,
      // undici's own time limits are coarse and restart with every chunk of a reply.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  let pool = openPool();
  /** When a connection became idle last, or all were replaced. */
  let idleSince = 0;
  const renew = (): void => {
    pool.close().catch(() => {});
    pool = openPool();
    idleSince = clock.monotonic();
  };
  const watch = async (): Promise<void> => {
    if (await staysOpen(pool)) return;
    keeps = false;
    renew();
  };
  let watched: Promise<void> | undefined;
  const onIdle = (): void => {
    idleSince = clock.monotonic();
    watched ??= watch();
  };
  return async (request, hooks) => {
    if (watched !== undefined) {
      await watched;
      if (clock.monotonic() - idleSince > maxIdleMs) renew();
    }
    return new Attempt({ ...options, ...connector, ...hooks, onIdle }).send(pool, request);
  };
}

/** Returns whether the service keeps the connections open on which it has just replied. */
function staysOpen(pool: Pool): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  pool.once("disconnect", () => resolve(false));
  // It keeps the process alive: idle connections do not.
  setTimeout(() => resolve(true), watchMs);
  return promise;
}

const closedEarly = {
  kind: "never_sent",
  reason: "the connection closed before the request was sent",
  problem: "unreachable",
} as const;

interface AttemptOptions extends SenderOptions, Connector, SendHooks {
  /** Called once its connection may be used again. */
  readonly onIdle: () => void;
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions;
  readonly #ended = Promise.withResolvers<AttemptOutcome>();
  #isEnded = false;
  #timer: NodeJS.Timeout | undefined;
  /** Once undici has a connection, and begins to write the request. */
  #controller: Dispatcher.DispatchController | undefined;
  #hasResponse = false;
  #head: ReplyHead | undefined;
  readonly #body: Uint8Array[] = [];

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  async send(dispatcher: Dispatcher, request: HttpRequest): Promise<AttemptOutcome> {
    const { timeoutMs, signal, connectSignal = signal, notConnected } = this.#options;
    const { body = null, headers, ...line } = request;
    const late = (): void =>
      this.#stop(this.#controller === undefined ? notConnected() : { kind: "timeout" });
    const abort = (): void => {
      const sent = this.#controller !== undefined;
      if (!sent || signal.aborted) this.#stop({ kind: "aborted", sent });
    };
    if (timeoutMs <= maxTimerMs) this.#timer = setTimeout(late, timeoutMs);
    for (const each of [connectSignal, signal]) each.addEventListener("abort", abort);
    if (connectSignal.aborted || signal.aborted) abort();
    else dispatcher.dispatch({ ...line, headers: { ...headers }, body }, this);
    try {
      return await this.#ended.promise;
    } finally {
      clearTimeout(this.#timer);
      for (const each of [connectSignal, signal]) each.removeEventListener("abort", abort);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The last moment at which a send can be prevented.
    if (!this.#isEnded && this.#options.beforeSend?.() === false) this.#end({ kind: "withheld" });
    if (this.#isEnded) controller.abort(new Error("not sent"));
    else this.#controller = controller;
  }

  onResponseStarted(): void {
    this.#hasResponse = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    if (status < 200 || this.#isEnded) return;
    this.#head = parseReplyHead(status, headers, this.#options.clock.now());
    this.#options.onHead?.(this.#head);
    if (this.#streams) clearTimeout(this.#timer);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isEnded) return;
    if (this.#streams) this.#options.onData?.(chunk, controller);
    else this.#body.push(chunk);
  }

  get #streams(): boolean {
    return this.#options.onData !== undefined && this.#head?.status === 200;
  }

  onResponseEnd(): void {
    this.#options.onIdle();
    const head = this.#head;
    const body = Buffer.concat(this.#body);
    if (head === undefined) this.#end({ kind: "malformed" });
    else if (head.encoding !== undefined) this.#end({ kind: "compressed", head });
    else if (!isUtf8(body)) this.#end({ kind: "unreadable", head });
    else this.#end({ kind: "reply", reply: { ...head, body: body.toString() } });
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#controller !== undefined) this.#end(this.#brokenReply(error));
    else if (error instanceof ConnectFailure) this.#end(error.outcome);
    else if (error instanceof TypeError || internalCode.test(errorCode(error)))
      this.#ended.reject(error);
    else this.#end(closedEarly);
  }

  #stop(outcome: AttemptOutcome): void {
    this.#end(outcome);
    this.#controller?.abort(new Error("stopped"));
  }

  #end(outcome: AttemptOutcome): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const head = this.#head;
    // The body of a reply that is not a success is optional: its status is enough.
    const isRefusal = head !== undefined && (head.status < 200 || head.status > 299);
    if (!isRefusal || outcome.kind === "reply" || outcome.kind === "aborted")
      this.#ended.resolve(outcome);
    else this.#ended.resolve({ kind: "reply", reply: { ...head, body: undefined } });
  }

  #brokenReply(error: Error): AttemptOutcome {
    const { baseUrl, refusal } = this.#options;
    const head = this.#head;
    const refused = this.#hasResponse ? undefined : refusal(error);
    if (refused !== undefined) return refused;
    if (head === undefined && isHttp2(error)) return onlyHttp2(baseUrl.host);
    if (errorCode(error) === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return { kind: "too_large", head };
    if (errorCode(error) === "UND_ERR_HEADERS_OVERFLOW") return { kind: "headers_too_long" };
    if (isMalformed(error, head !== undefined)) return { kind: "malformed" };
    return this.#hasResponse ? { kind: "cut_off", head } : { kind: "reset" };
  }
}

/** Returns whether the response begins as HTTP/2 does: with SETTINGS, or GOAWAY after a request in HTTP/1.1 (RFC 9113, 3.4). */
function isHttp2(error: Error): boolean {
  return "data" in error && /^\0[^]{2}[\x04\x07]\0/.test(String(error.data));
}

/** Returns whether the response is not HTTP. undici 8's parser errors have a name but no code; one is an early end. */
function isMalformed(error: Error, hasHead: boolean): boolean {
  if (error.name === "HTTPParserError") return !error.message.includes("EOF");
  const code = errorCode(error);
  // Without a head: two lengths in it. With one: a body that is too short.
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return !hasHead;
  return error.message === "bad response" || error.message === "bad upgrade";
}
