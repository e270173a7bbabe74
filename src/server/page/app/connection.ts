import type { RequestEntry } from "../../inspect/types.ts";
import { getJson, observeStoreId, postJson, RequestFailure, send } from "./api.ts";
import { emptyFeed, type Feed, withEntries, withGap, withHistory } from "./requests/feed.ts";
import { type ServerSentEvent, sseParser } from "../../inspect/sse.ts";
import { makeValue } from "./value.ts";

/** Whether the page has access, and whether it gets live events. */
export type ConnectionState =
  | "connecting"
  | "live"
  /** The store does not answer; the page retries automatically. */
  | "lost"
  /** The page has no cookie: it needs a link. */
  | "locked"
  /** Another store answers at this address. */
  | "replaced";

/** The reply to `GET /_store/session`. */
export interface StoreInfo {
  readonly baseUrl: string;
  readonly data: string;
  readonly lab: boolean;
}

export const connection = makeValue<ConnectionState>("connecting");
export const info = makeValue<StoreInfo | undefined>(undefined);
export const feed = makeValue<Feed>(emptyFeed);
/** Changes when the animals may have changed. */
export const petsVersion = makeValue(0);
/** The id of the store that the page shows, and of the one that answered last. */
export const storeId = makeValue("");
export const answeringId = makeValue("");
observeStoreId(answeringId.set);

const [minPauseMs, maxPauseMs] = [500, 5_000];
/** How long the stream may be silent, in ms, before it counts as lost: the store sends something every 15 s. */
const silenceMs = 40_000;
let lastEventId = "";

/** Exchanges the token of a link, if any, for a cookie, and follows the store until another one replaces it. */
export async function connect(token: string | undefined): Promise<void> {
  if (token !== undefined) await postJson("/", JSON.stringify({ token })).catch(() => undefined);
  for (let pause = minPauseMs; ; pause = Math.min(maxPauseMs, pause * 2)) {
    const began = performance.now();
    const state = await follow().catch(stateAfter);
    connection.set(state);
    if (state === "locked" || state === "replaced") return;
    if (performance.now() - began > maxPauseMs) pause = minPauseMs;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Resets the store to the seed; the stream reports it, here and in other windows. Throws a RequestFailure. */
export async function resetStore(): Promise<void> {
  await postJson("/_store/reset", "");
}

function stateAfter(error: unknown): ConnectionState {
  return error instanceof RequestFailure && error.status === 401 ? "locked" : "lost";
}

/** Follows the store until the stream ends. */
async function follow(): Promise<ConnectionState> {
  const { baseUrl, data, lab, store } = Object(await getJson("/_store/session"));
  const before = storeId.get();
  if (before !== "" && store !== before) return "replaced";
  storeId.set(String(store));
  info.set({ baseUrl: String(baseUrl), data: String(data), lab: lab === true });
  const silence = new AbortController();
  const headers: Record<string, string> =
    lastEventId === "" ? {} : { "Last-Event-ID": lastEventId };
  const response = await send("/_store/events", { headers, signal: silence.signal });
  if (!response.ok || response.body === null) throw new RequestFailure(response.status, "");
  connection.set("live");
  petsVersion.update((version) => version + 1);
  if (lastEventId === "") void loadHistory();
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
  let entries: RequestEntry[] = [];
  const flush = (): void => {
    const [batch, now] = [entries, Math.floor(Date.now() / 1000)];
    entries = [];
    feed.update((current) => withEntries(current, batch, now));
    if (batch.some(mayHaveAdded)) petsVersion.update((version) => version + 1);
  };
  for (const { event, id, data } of events) {
    if (event === "request") {
      lastEventId = id;
      entries.push(JSON.parse(data));
    } else {
      flush();
      onOther(event, data);
    }
  }
  flush();
}

function onOther(event: string, data: string): void {
  if (event === "gap") feed.update((current) => withGap(current, JSON.parse(data).missed));
  if (event === "reset") {
    storeId.set(String(JSON.parse(data).store));
    onReset();
  }
}

function onReset(): void {
  lastEventId = "";
  feed.set(emptyFeed);
  petsVersion.update((version) => version + 1);
}

function mayHaveAdded({ method }: RequestEntry): boolean {
  return method === "POST";
}

async function loadHistory(): Promise<void> {
  const before = storeId.get();
  const response = await send("/_store/requests").catch(() => undefined);
  if (response?.ok !== true) return;
  const history: readonly RequestEntry[] = await response.json();
  // After a reset none of this exists any more.
  if (storeId.get() === before) feed.update((current) => withHistory(current, history));
}
