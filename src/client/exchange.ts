import type { Failure } from "../core/errors.ts";
import { toEvents } from "./events.ts";
import { type FailedRequest, failureOf, type FinalOutcome } from "./failures.ts";
import type { AttemptOutcome } from "./http/outcome.ts";
import { chooseProxy, proxyName } from "./http/proxy.ts";
import {
  createSender,
  type HttpRequest,
  type Sender,
  type SenderOptions,
  type SendHooks,
} from "./http/sender.ts";
import { errorDetails } from "./read-response.ts";
import { createRedaction, type Redaction } from "./redaction.ts";
import type { PetsApiOptions } from "./types.ts";

/** What every request to a service needs, whether it counts against limits or not. */
export type ExchangeOptions = SenderOptions &
  Pick<PetsApiOptions, "apiKey" | "keyHint" | "keyName" | "listCommand" | "userAgent" | "onEvent">;

/** Sends requests with the key, each once, and reports them. What it returns and throws is without the key. */
export class Exchange {
  readonly redaction: Redaction;
  readonly #options: ExchangeOptions;
  readonly #send: Sender;

  /** Throws a usage Failure if the environment names a proxy that can't be used. */
  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.redaction = createRedaction(options.apiKey);
    this.#send = createSender(options);
  }

  /** Sends `request`, for the `attempt`-th time. */
  async send(request: HttpRequest, attempt = 1, hooks: SendHooks = {}): Promise<AttemptOutcome> {
    const { apiKey, userAgent, clock, onEvent, baseUrl } = this.#options;
    const { redaction } = this;
    const url = redaction.name(`${baseUrl.origin}${request.path}`);
    onEvent({ type: "request", method: request.method, url, attempt });
    const start = clock.monotonic();
    const json = request.body === undefined ? {} : { "content-type": "application/json" };
    const own = { authorization: `Bearer ${apiKey}`, "user-agent": userAgent };
    const headers = { ...json, ...request.headers, ...own };
    const outcome = await this.#send({ ...request, headers }, hooks);
    const ms = clock.monotonic() - start;
    for (const event of toEvents(outcome, { ms, host: baseUrl.host, redaction })) onEvent(event);
    return outcome;
  }

  /** Returns the Failure of a request that ended so; `details` say what is wrong with the body of a success. */
  failure(
    method: HttpRequest["method"],
    final: FinalOutcome,
    details: Partial<FailedRequest> = {},
  ): Failure {
    const { baseUrl, env, clock } = this.#options;
    const proxy = chooseProxy(baseUrl, env);
    const request = { method, now: clock.now(), proxy: proxy && proxyName(proxy) };
    const said = errorDetails(final, this.redaction);
    return failureOf({ ...this.#options, ...request, ...final, ...said, ...details });
  }
}
