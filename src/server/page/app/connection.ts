import { type ServerSentEvent, sseParser } from "../../request-log/sse.ts";
import type { RequestRow } from "../../request-log/types.ts";
import { keepSecret, restoreSecret } from "./access.ts";
import { getJson, postJson, RequestFailure, send } from "./api.ts";
import { emptyFeed, type Feed, withGap, withRates, withRows } from "./requests/feed.ts";
import { makeValue } from "./value.ts";

/** Whether the page has access, and whether it gets live events. */
export type ConnectionState =
  | "connecting"
  | "live"
  /** The store does not respond; the page retries automatically. */
  | "lost"
  /** The page has no access: it needs a link. */
  | "locked"
  /** Another store responds at this address. */
  | "replaced";

/** What `GET /_store/session` returns. */
export interface StoreInfo {
  readonly store: string;
  readonly baseUrl: string;
  readonly data: string;
  readonly lab: boolean;
  /** The profile in which the store is saved, if it is. */
  readonly profile: string | null;
}

/** A step of the script, and how often it was taken. */
export interface ScriptStep {
  readonly on: string;
  readonly do: string | number;
  readonly times?: number;
  readonly taken: number;
}

export const connection = makeValue<ConnectionState>("connecting");
export const info = makeValue<StoreInfo | undefined>(undefined);
export const feed = makeValue<Feed>(emptyFeed);
/** What of the store can be changed, as `GET /_store/…` returns it; undefined until it is known. */
export const settings = {
  faults: makeValue<{ readonly fault: string; readonly latency: string } | undefined>(undefined),
  clock: makeValue<{ readonly now: string; readonly frozen: boolean } | undefined>(undefined),
  script: makeValue<{ readonly steps: readonly ScriptStep[] } | undefined>(undefined),
};
/** Changes when the animals may have changed. */
export const petsVersion = makeValue(0);
/** The id of the store that the page shows. */
export const storeId = makeValue("");

/** The pauses between attempts to connect, in ms. */
const [minPauseMs, maxPauseMs] = [500, 5_000];
/** How long the stream may be silent, in ms, before it counts as lost: the store sends something every 15 s. */
const silenceMs = 40_000;
let lastEventId = "";

/** Exchanges the token of a link, if any, for access. */
export async function redeem(token: string | undefined): Promise<void> {
  const access = token && postJson("/", JSON.stringify({ token })).catch(() => undefined);
  const { secret } = Object(await access);
  await (typeof secret === "string" ? keepSecret(secret) : restoreSecret());
}

/** Follows the store until another one replaces it, with the access that the token of a link gives, if any. */
export async function connect(token: string | undefined): Promise<void> {
  await redeem(token);
  for (let pause = minPauseMs; ; pause = Math.min(maxPauseMs, pause * 2)) {
    const began = performance.now();
    const state = await follow().catch(stateAfter);
    connection.set(state);
    if (state === "locked" || state === "replaced") return;
    if (performance.now() - began > maxPauseMs) pause = minPauseMs;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

const settingNames = ["faults", "clock", "script"] as const;

/** Fetches a setting as it is in force, or after `change`, the body of a POST. Throws a RequestFailure. */
export async function loadSetting(
  name: (typeof settingNames)[number],
  change?: string,
): Promise<void> {
  const path = `/_store/${name}`;
  const before = settings[name].get();
  const value = Object(await (change === undefined ? getJson(path) : postJson(path, change)));
  // What was announced meanwhile is newer.
  if (settings[name].get() === before) settings[name].set(value);
}

function loadSettings(): Promise<unknown> {
  return Promise.allSettled(settingNames.map((name) => loadSetting(name)));
}

function stateAfter(error: unknown): ConnectionState {
  return error instanceof RequestFailure && error.status === 401 ? "locked" : "lost";
}

/** Follows the store until the stream ends. */
async function follow(): Promise<ConnectionState> {
  const session: StoreInfo = Object(await getJson("/_store/session"));
  const before = storeId.get();
  if (before !== "" && session.store !== before) return "replaced";
  storeId.set(session.store);
  info.set(session);
  const silence = new AbortController();
  const headers: Record<string, string> =
    lastEventId === "" ? {} : { "Last-Event-ID": lastEventId };
  const response = await send("/_store/events", { headers, signal: silence.signal });
  if (!response.ok || response.body === null) throw new RequestFailure(response.status, "");
  // Once the stream is open, a change is announced there.
  await loadSettings();
  if (lastEventId === "") feed.set(emptyFeed);
  connection.set("live");
  petsVersion.update((version) => version + 1);
  await read(response.body, silence);
  return "lost";
}

async function read(body: ReadableStream<Uint8Array>, silence: AbortController): Promise<void> {
  const parse = sseParser();
  const decoder = new TextDecoder();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      take(parse(decoder.decode(chunk, { stream: true })));
    }
  } finally {
    clearTimeout(timer);
  }
}

function take(events: readonly ServerSentEvent[]): void {
  let rows: RequestRow[] = [];
  const flush = (): void => {
    const batch = rows;
    rows = [];
    feed.update((current) => withRows(current, batch));
    if (batch.some(({ method }) => method === "POST")) petsVersion.update((version) => version + 1);
  };
  for (const { event, id, data } of events) {
    if (event === "request") {
      lastEventId = id;
      rows.push(JSON.parse(data));
    } else {
      flush();
      onOther(event, JSON.parse(data));
    }
  }
  flush();
}

function onOther(event: string, value: unknown): void {
  const { missed, store } = Object(value);
  // The store was started anew, and remembers none of the requests from before.
  if (event === "gap" && missed === null) feed.set(emptyFeed);
  else if (event === "gap") feed.update((current) => withGap(current, missed));
  else if (event === "rates") feed.update((current) => withRates(current, Object(value)));
  else if (event === "reset") onReset(String(store));
  for (const name of settingNames) if (event === name) settings[name].set(Object(value));
}

function onReset(store: string): void {
  storeId.set(store);
  lastEventId = "";
  feed.set(emptyFeed);
  petsVersion.update((version) => version + 1);
  void loadSettings();
}
