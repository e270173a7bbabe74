import { PassThrough } from "node:stream";
import { Failure } from "../core/errors.ts";
import { isTooDeep } from "../core/json/parse.ts";
import { maxTimerMs } from "../platform/io.ts";
import { checkKey } from "./build-request.ts";
import type { ExchangeObserver, HttpRequest } from "./http/exchange.ts";
import type { AttemptOutcome, Reply } from "./http/outcome.ts";
import { createRedaction } from "./http/redact.ts";
import { createSender, type Sender } from "./http/sender.ts";
import { expectReply, notServed, type StoreAnswers } from "./local-store-failures.ts";
import { toEvents } from "./report/events.ts";
import type { PetsApiOptions } from "./types.ts";

/** What is sent to a local store, below `/_store`. */
interface StoreRequest {
  readonly method?: HttpRequest["method"];
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Whether a value has the form that `pets serve` gives it: any other server may answer as well. It is never
 * nested deeper than `maxDepth`.
 */
export type ValueCheck<T> = (value: unknown) => value is T;

/** A store that `pets serve` runs on this machine (`help store`). Each method rejects with a Failure. */
export interface LocalStore {
  /** Returns the JSON value of `/_store/NAME`, which `check` must accept, with the key masked. */
  ask<T>(name: string, check: ValueCheck<T>, request?: StoreRequest): Promise<T>;
  /** Returns the text of the response as it comes, until the store ends it. */
  stream(name: string, request?: StoreRequest): Promise<AsyncIterable<string>>;
  /** Returns the value of a JSON text from a stream, which `check` must accept. Throws a Failure. */
  parse<T>(text: string, check: ValueCheck<T>): T;
}

/** What a LocalStore needs. Its requests count against no limit, and are not tried again. */
export type LocalStoreOptions = Omit<
  PetsApiOptions,
  "limiter" | "random" | "wait" | "maxWaitMs" | "maxSends" | "sendSignal"
>;

/** Opens the store whose API is at `baseUrl`. Throws a Failure if that is not the address of a store. */
export function openLocalStore(options: LocalStoreOptions): LocalStore {
  const { baseUrl, apiKey } = options;
  checkKey(apiKey);
  if (!versionPath.test(baseUrl.pathname)) throw notServed(baseUrl);
  const sender = createSender(options);
  const store = { options, sender, redaction: createRedaction(apiKey) };
  return {
    async ask(name, check, request = {}) {
      const reply = await readReply(store, name, request);
      return parse(store, reply.body ?? "", check);
    },
    stream: (name, request = {}) => openStream(store, name, request),
    parse: (text, check) => parse(store, text, check),
  };
}

interface OpenStore extends StoreAnswers {
  readonly options: LocalStoreOptions;
  readonly sender: Sender;
}

/** The end of a base URL, in whose place `/_store` is. */
const versionPath = /\/v1\/*$/;

async function readReply(store: OpenStore, name: string, request: StoreRequest): Promise<Reply> {
  const { signal } = store.options;
  const outcome = await send(store, name, request, {
    beforeSend: () => !signal.aborted,
    onHead: () => {},
  });
  return expectReply(store, name, outcome);
}

async function send(
  { options, sender, redaction }: OpenStore,
  name: string,
  { method = "GET", body, headers }: StoreRequest,
  observer: ExchangeObserver,
): Promise<AttemptOutcome> {
  const { baseUrl, apiKey, userAgent, clock, onEvent } = options;
  const path = baseUrl.pathname.replace(versionPath, `/_store/${name}`);
  onEvent({ type: "request", method, url: `${baseUrl.origin}${path}`, attempt: 1 });
  const start = clock.monotonic();
  const own = { ...headers, authorization: `Bearer ${apiKey}`, "user-agent": userAgent };
  const request =
    body === undefined
      ? { method, path, headers: own }
      : { method, path, headers: { "content-type": "application/json", ...own }, body };
  const outcome = await sender(request, observer);
  const info = { ms: clock.monotonic() - start, host: baseUrl.host, redaction };
  for (const event of toEvents(outcome, info)) onEvent(event);
  return outcome;
}

async function openStream(
  store: OpenStore,
  name: string,
  request: StoreRequest,
): Promise<AsyncIterable<string>> {
  const { timeoutMs, signal } = store.options;
  const body = new PassThrough();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), Math.min(timeoutMs, maxTimerMs));
  const { promise: opened, resolve: open } = Promise.withResolvers<"store" | "stranger">();
  const observer: ExchangeObserver = {
    beforeSend: () => !signal.aborted,
    onHead: ({ status, storeId }) => {
      clearTimeout(timer);
      if (status === 200) open(storeId === undefined ? "stranger" : "store");
    },
    onData: (chunk, flow) => {
      if (body.write(chunk)) return;
      flow.pause();
      body.once("drain", () => flow.resume());
    },
  };
  body.once("close", () => stop.abort());
  const untilStopped = { timeoutMs: Infinity, signal: AbortSignal.any([signal, stop.signal]) };
  const sender = createSender({ ...store.options, ...untilStopped });
  const ended = send({ ...store, sender }, name, request, observer).finally(() => {
    clearTimeout(timer);
    body.end();
  });
  const first = await Promise.race([opened, ended]);
  if (first === "stranger") {
    body.destroy();
    throw notServed(store.options.baseUrl);
  }
  if (first !== "store") expectReply(store, name, first);
  return body.setEncoding("utf8");
}

const maxDepth = 6;

function parse<T>(store: OpenStore, text: string, check: ValueCheck<T>): T {
  const { redaction, options } = store;
  const value = parseJson(redaction.name(text), (each) => redaction.text(each));
  if (isShallow(value, maxDepth) && check(value)) return value;
  const { host } = options.baseUrl;
  throw new Failure("service", `the store at ${host} sent a response that is not valid`, {
    retryable: false,
  });
}

function parseJson(text: string, mask: (text: string) => string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown) =>
      typeof value === "string" ? mask(value) : value,
    );
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1));
}
