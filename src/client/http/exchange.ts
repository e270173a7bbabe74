import type { Dispatcher } from "undici";
import type { Deadline } from "./deadline.ts";
import { parseReplyHead, type Headers, type ReplyHead } from "./reply-head.ts";

/** A request to one origin. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What happened in one exchange. */
export interface ExchangeResult {
  /** Whether undici had a connection and began to write the request. */
  readonly started: boolean;
  /** Whether any byte of a reply was received. */
  readonly answered: boolean;
  readonly head: ReplyHead | undefined;
  /** The body as it came over the wire. */
  readonly body: Uint8Array;
  readonly end: End;
}

/** Why an exchange ended: the reply was complete or over the maximum, it was stopped, or it failed. */
type End = "complete" | "too_large" | "stopped" | { readonly error: unknown };

/** Follows an exchange, and may prevent it. */
export interface ExchangeObserver {
  /** Called once connected, before the first byte is written; false keeps the request from being sent. */
  beforeSend(): boolean;
  onHead(head: ReplyHead): void;
  /** If given, called with each part of the body of a 200, which is then not kept; `flow` stops and goes on reading. */
  onData?(chunk: Uint8Array, flow: Pick<Dispatcher.DispatchController, "pause" | "resume">): void;
}

interface ExchangeOptions {
  readonly deadline: Pick<Deadline, "reason" | "onStop">;
  readonly observer: ExchangeObserver;
  /** Returns ms since the epoch by this machine's clock. */
  readonly now: () => number;
  readonly maxBytes: number;
}

/**
 * Sends one request on `dispatcher` and reads its reply, until the deadline stops it. Never rejects:
 * an error is one way to end.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  options: ExchangeOptions,
): Promise<ExchangeResult> {
  const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
  const { deadline } = options;
  const reader = new ReplyReader(resolve, options);
  deadline.onStop(() => reader.finish("stopped"));
  const { method, path, headers, body = null } = request;
  // undici's own time limits are coarse and restart with every chunk of a reply.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  if (deadline.reason === undefined)
    dispatcher.dispatch({ method, path, headers: { ...headers }, body, ...limits }, reader);
  return promise;
}

class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #resolve: (seen: ExchangeResult) => void;
  readonly #options: ExchangeOptions;
  readonly #body: BodyBuffer;
  #controller: Dispatcher.DispatchController | undefined;
  #answered = false;
  #head: ReplyHead | undefined;
  #finished = false;

  constructor(resolve: (result: ExchangeResult) => void, options: ExchangeOptions) {
    this.#resolve = resolve;
    this.#options = options;
    this.#body = new BodyBuffer(options.maxBytes);
  }

  /** Ends the exchange: nothing more is sent or read. */
  finish(end: End): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#resolve({
      started: this.#controller !== undefined,
      answered: this.#answered,
      head: this.#head,
      body: this.#body.bytes,
      end,
    });
    if (end !== "complete") this.#controller?.abort(new Error("the exchange was ended"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The last moment at which a send can be prevented.
    if (this.#finished || !this.#options.observer.beforeSend()) {
      controller.abort(new Error("the exchange was ended"));
    } else this.#controller = controller;
  }

  onResponseStarted(): void {
    this.#answered = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Headers,
  ): void {
    if (status < 200 || this.#finished) return;
    const { observer, now } = this.#options;
    this.#head = parseReplyHead(status, headers, now());
    observer.onHead(this.#head);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#finished) return;
    const { observer } = this.#options;
    if (observer.onData !== undefined && this.#head?.status === 200)
      observer.onData(chunk, controller);
    else if (!this.#body.add(chunk)) this.finish("too_large");
  }

  onResponseEnd(): void {
    this.finish("complete");
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.finish({ error });
  }
}

/** Joins chunks: kept as chunks of their own, single bytes would take 100 each. */
class BodyBuffer {
  readonly #maxBytes: number;
  #bytes = new Uint8Array(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#size);
  }

  /** Returns false if there would be too many bytes. */
  add(chunk: Uint8Array): boolean {
    const size = this.#size + chunk.length;
    if (size > this.#maxBytes) return false;
    if (size > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(2 * size, this.#maxBytes));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#size);
    this.#size = size;
    return true;
  }
}
