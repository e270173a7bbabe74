import { PassThrough } from "node:stream";
import * as z from "zod/mini";
import { Failure } from "../core/errors.ts";
import { tryParse } from "../core/json/parse.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { Exchange } from "./exchange.ts";
import { versionPath } from "./failures.ts";
import type { AttemptOutcome } from "./http/outcome.ts";
import type { ReplyHead } from "./http/reply-head.ts";
import type { HttpRequest, SendHooks } from "./http/sender.ts";
import type { ExchangeOptions } from "./types.ts";

type StoreRequest = Partial<Omit<HttpRequest, "path">>;

const startWithPage = "Start it without `--no-page`, at a loopback address of this machine.";
const onlyHere = "A local store can be inspected only on its own machine, at a loopback address.";

/** A store of `pets serve` on this machine (`help store`). Requests to it count against no limit, and are not tried again. */
export class LocalStore {
  readonly #options: ExchangeOptions;
  readonly #exchange: Exchange;

  /** Throws a Failure if the API of a store cannot be at `baseUrl`. */
  constructor(options: ExchangeOptions) {
    if (!versionPath.test(options.baseUrl.pathname)) throw notServed(options.baseUrl);
    this.#options = options;
    this.#exchange = new Exchange(options);
  }

  /** Returns the JSON value of `/_store/NAME`, which must be as in `schema`, with the key masked. */
  async ask<Schema extends z.core.$ZodType>(
    name: string,
    schema: Schema,
    request: StoreRequest = {},
  ): Promise<z.infer<Schema>> {
    return this.parse(this.#expectBody(name, await this.#send(name, request)), schema);
  }

  /** Returns the text of the response as it comes, until the store ends it. */
  async stream(name: string): Promise<AsyncIterable<string>> {
    const { baseUrl, signal } = this.#options;
    const body = new PassThrough();
    const stop = new AbortController();
    body.once("close", () => stop.abort());
    const { promise: opened, resolve: onHead } = Promise.withResolvers<ReplyHead>();
    const onData: SendHooks["onData"] = (chunk, flow) => {
      if (body.write(chunk)) return;
      flow.pause();
      body.once("drain", () => flow.resume());
    };
    const bounds = { maxBytes: -1, signal: AbortSignal.any([signal, stop.signal]) };
    const endless = new Exchange({ ...this.#options, ...bounds });
    const ended = this.#send(name, {}, { onHead, onData }, endless).finally(() => body.end());
    const head = await Promise.race([opened, ended]);
    if (!("status" in head) || head.status !== 200) this.#expectBody(name, await ended);
    else if (head.storeId === undefined) {
      body.destroy();
      throw notServed(baseUrl);
    }
    return body.setEncoding("utf8");
  }

  /** Returns the value of a JSON text from a stream, whole: any other server may respond as well. Throws a Failure. */
  parse<Schema extends z.core.$ZodType>(text: string, schema: Schema): z.infer<Schema> {
    const value = tryParse(this.#options.secrets.inValue(text));
    const decoded = z.safeParse(schema, value);
    if (decoded.success) return decoded.data;
    throw badResponse(`the store at ${this.#options.baseUrl.host} sent an invalid response`);
  }

  #send(name: string, request: StoreRequest, hooks: SendHooks = {}, exchange = this.#exchange) {
    const path = this.#options.baseUrl.pathname.replace(versionPath, `/_store/${name}`);
    return exchange.send({ method: "GET", headers: {}, ...request, path }, 1, hooks);
  }

  /** Returns the body of a 200 to a request below `/_store/NAME`. Throws the Failure of anything else. */
  #expectBody(name: string, outcome: AttemptOutcome): string {
    const { baseUrl, signal } = this.#options;
    signal.throwIfAborted();
    if (outcome.kind !== "reply") throw this.#failed(outcome);
    const { status, storeId, body = "" } = outcome.reply;
    if (storeId === undefined && (status < 300 || status > 399)) throw notServed(baseUrl);
    if (status === 404) {
      const [what, hint] =
        name === "page" ? ["page", startWithPage] : ["such path for this request", onlyHere];
      const message = `the store at ${baseUrl.host} has no ${what}`;
      throw badResponse(message, { code: "not_found", status, hints: [hint] });
    }
    if (status !== 200) throw this.#failed(outcome);
    return body;
  }

  #failed(ended: AttemptOutcome): Failure {
    const { baseUrl } = this.#options;
    const isUnsaid = ended.kind === "aborted" || ended.kind === "withheld";
    const outcome = isUnsaid ? ({ kind: "timeout" } as const) : ended;
    const final = { outcome, decision: { retry: false, limited: false }, attempts: 1 } as const;
    // Any request to a store may be repeated, even a POST.
    const failure = this.#exchange.failure("GET", final);
    if (failure.kind === "unreachable" && !isLoopbackHost(baseUrl.hostname))
      return failure.with({ hints: [onlyHere] });
    // With a 403 the key is valid; the message of the store says what is missing.
    return failure.facts.status === 403 ? failure.with({ hints: [] }) : failure;
  }
}

function notServed({ host }: URL): Failure {
  const hints = ["Choose a local store with `--profile`: `pets profile list` lists them."];
  return badResponse(`the service at ${host} is not run by \`pets serve\``, { hints });
}

function badResponse(message: string, facts: Failure["facts"] = {}): Failure {
  return new Failure("service", message, { retryable: false, ...facts });
}
