import type { Failure } from "../core/errors.ts";
import { truncate } from "../core/strings.ts";
import { type FailedRequest, failureOf, type FinalOutcome } from "./failures.ts";
import { type AttemptOutcome, describeOutcome, headOf } from "./http/outcome.ts";
import { chooseProxy, proxyName } from "./http/proxy.ts";
import type { ReplyHead } from "./http/reply-head.ts";
import { createSender, type HttpRequest, type Method, type SendHooks } from "./http/sender.ts";
import { errorDetails } from "./read-response.ts";
import type { ExchangeOptions } from "./types.ts";

const maxErrorChars = 1000;

/** Sends requests with the key, each once, and reports them. What it returns and throws is without the key. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #send: ReturnType<typeof createSender>;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#send = createSender(options);
  }

  async send(request: HttpRequest, attempt = 1, hooks: SendHooks = {}): Promise<AttemptOutcome> {
    const { apiKey, userAgent, clock, onEvent, baseUrl, secrets } = this.#options;
    const url = secrets.inValue(`${baseUrl.origin}${request.path}`);
    onEvent({ type: "request", method: request.method, url, attempt });
    const start = clock.monotonic();
    const json = request.body === undefined ? {} : { "content-type": "application/json" };
    const own = { authorization: `Bearer ${apiKey}`, "user-agent": userAgent };
    const headers = { ...json, ...request.headers, ...own };
    const outcome = await this.#send({ ...request, headers }, hooks);
    const ms = clock.monotonic() - start;
    const head = headOf(outcome);
    if (head !== undefined) this.#reportReply(outcome, head, ms);
    if (outcome.kind !== "reply")
      onEvent({ type: "failure", what: describeOutcome(outcome, baseUrl.host), ms });
    return outcome;
  }

  #reportReply(outcome: AttemptOutcome, head: ReplyHead, ms: number): void {
    const { onEvent, secrets } = this.#options;
    const { status, rateLimit, receivedAt, deprecation } = head;
    const { limit, remaining, endsIn } = rateLimit;
    const resetAt = endsIn === undefined ? undefined : receivedAt + endsIn;
    const limits = { limit, remaining, resetAt };
    const hide = (text: string): string => secrets.inReply(text);
    const body = outcome.kind === "reply" && status >= 400 ? (outcome.reply.body ?? "") : "";
    const start = hide(body).slice(0, maxErrorChars).trim().replaceAll(/\s+/g, " ");
    const text = start !== "" && { text: truncate(start, 200) };
    const storeId = head.storeId && hide(head.storeId);
    onEvent({ type: "reply", status, ms, limits, storeId, ...text });
    const sent = Object.entries(deprecation).map(([name, value]) => [name, hide(value)]);
    if (sent.length > 0) onEvent({ type: "deprecation", notice: Object.fromEntries(sent) });
  }

  /** Returns the Failure of a request that ended so; `details` say what is wrong with the body of a success. */
  failure(method: Method, final: FinalOutcome, details: Partial<FailedRequest> = {}): Failure {
    const { baseUrl, env, clock, secrets } = this.#options;
    const proxy = chooseProxy(baseUrl, env);
    const request = { method, now: clock.now(), proxy: proxy && proxyName(proxy) };
    const said = errorDetails(final, secrets);
    return failureOf({ ...this.#options, ...request, ...final, ...said, ...details });
  }
}
