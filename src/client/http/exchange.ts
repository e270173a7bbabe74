import type { Dispatcher } from "undici";
import type { Deadline } from "./deadline.ts";
import { parseReplyHead, type Headers, type ReplyHead } from "./reply-head.ts";

/** A request to one origin, whatever its reply will be. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The most bytes of a reply's body that are read, compressed or not. */
export const maxBodyBytes = 8 * 1024 * 1024;

/** What was seen of one exchange, up to its end. */
export interface ExchangeResult {
  /** Whether undici had a connection and began to write the request. */
  readonly started: boolean;
  /** Whether anything of an answer came. */
  readonly answered: boolean;
  readonly head: ReplyHead | undefined;
  /** The body as it came over the wire. */
  readonly body: Uint8Array;
  readonly end: End;
}

/** Why an exchange ended: the reply was whole, over the bound, the caller stopped it, or an error. */
type End = "complete" | "too_large" | "stopped" | { readonly error: unknown };

/** Follows an exchange, and may prevent it. */
export interface ExchangeObserver {
  /** Called once connected, before the first byte is written; false keeps the request from being sent. */
  beforeSend(): boolean;
  /** Called with the head of the reply before its body is read. */
  onHead(head: ReplyHead): void;
}

/** What one exchange needs beside the request. */
interface ExchangeOptions {
  readonly deadline: Pick<Deadline, "reason" | "onStop">;
  readonly observer: ExchangeObserver;
  /** Returns ms since the epoch by this machine's clock. */
  readonly now: () => number;
}

/**
 * Sends one request on `dispatcher` and reads its reply, until the deadline stops it. Never rejects:
 * an error is a way to end.
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
  readonly #body = new GrowableBuffer();
  #controller: Dispatcher.DispatchController | undefined;
  #answered = false;
  #head: ReplyHead | undefined;
  #finished = false;

  constructor(resolve: (result: ExchangeResult) => void, options: ExchangeOptions) {
    this.#resolve = resolve;
    this.#options = options;
  }

  /** Ends the exchange; nothing is sent or read any more. */
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
    // The last moment at which a request can be kept from being sent.
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

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#finished) return;
    if (this.#body.size + chunk.length > maxBodyBytes) this.finish("too_large");
    else this.#body.add(chunk);
  }

  onResponseEnd(): void {
    this.finish("complete");
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.finish({ error });
  }
}

const minCapacity = 1024;

/**
 * Bytes that come in parts, in at most twice the room that they need: a part of one byte that is
 * kept as it came takes over a hundred.
 */
export class GrowableBuffer {
  #buffer: Uint8Array = new Uint8Array(0);
  #size = 0;

  /** How many bytes there are. */
  get size(): number {
    return this.#size;
  }

  /** All bytes so far. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  add(part: Uint8Array): void {
    const size = this.#size + part.length;
    // Most come whole.
    if (this.#size === 0) this.#buffer = part;
    else this.#grow(size).set(part, this.#size);
    this.#size = size;
  }

  /** Room for `size` bytes, with those that there are. */
  #grow(size: number): Uint8Array {
    if (size > this.#buffer.length) {
      const room = new Uint8Array(Math.max(size, 2 * this.#buffer.length, minCapacity));
      room.set(this.bytes);
      this.#buffer = room;
    }
    return this.#buffer;
  }
}
