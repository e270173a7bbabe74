import { batch, signal } from "@preact/signals";
import { type ServerSentEvent, sseParser } from "../../request-log/sse.ts";
import { getJson, postJson, RequestFailure, secretName, send } from "./api.ts";
import { emptyFeed, type Feed, withGap, withRates, withRow } from "./feed.ts";

/** Whether the page has access, and whether it gets live events. */
type ConnectionState =
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
interface ScriptStep {
  readonly on: string;
  readonly do: string | number;
  readonly times?: number;
  readonly taken: number;
}

export const connection = signal<ConnectionState>("connecting");
export const info = signal<StoreInfo | undefined>(undefined);
export const feed = signal<Feed>(emptyFeed);
/** What of the store can be changed, as `GET /_store/…` returns it; undefined until it is known. */
export const settings = {
  faults: signal<{ readonly fault: string; readonly latency: string } | undefined>(undefined),
  clock: signal<{ readonly now: string; readonly frozen: boolean } | undefined>(undefined),
  script: signal<{ readonly steps: readonly ScriptStep[] } | undefined>(undefined),
};
const settingNames = ["faults", "clock", "script"] as const;
/** The id of the store that the page shows. */
export const storeId = signal("");

/** The pauses between attempts to connect, in ms. */
const [minPauseMs, maxPauseMs] = [500, 5_000];
/** How long the stream may be silent, in ms, before it counts as lost: the store sends something every 15 s. */
const silenceMs = 40_000;
let lastEventId = "";

/** Exchanges the token of a link, if any, for the secret that opens the store to all windows of this origin. */
export async function redeem(token: string | undefined): Promise<void> {
  if (token === undefined) return;
  const { secret } = Object(await postJson("/", JSON.stringify({ token })).catch(() => undefined));
  if (typeof secret === "string") localStorage.setItem(secretName, secret);
}

/** Follows the store until another one replaces it, with the access that the token of a link gives, if any. */
export async function connect(token: string | undefined): Promise<void> {
  await redeem(token);
  for (let pause = minPauseMs; ; pause = Math.min(maxPauseMs, pause * 2)) {
    const began = performance.now();
    const state = await follow().catch(stateAfter);
    connection.value = state;
    if (state === "locked" || state === "replaced") return;
    if (performance.now() - began > maxPauseMs) pause = minPauseMs;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function stateAfter(error: unknown): ConnectionState {
  return error instanceof RequestFailure && error.status === 401 ? "locked" : "lost";
}

/** Fetches a setting as it is in force, or after `change`, the body of a POST. Throws a RequestFailure. */
export async function loadSetting(name: keyof typeof settings, change?: string): Promise<void> {
  const path = `/_store/${name}`;
  const before = settings[name].value;
  const value = Object(await (change === undefined ? getJson(path) : postJson(path, change)));
  // What was announced meanwhile is newer.
  if (settings[name].value === before) settings[name].value = value;
}

function loadSettings(): Promise<unknown> {
  return Promise.allSettled(settingNames.map((name) => loadSetting(name)));
}

/** Follows the store until the stream ends. */
async function follow(): Promise<ConnectionState> {
  const session: StoreInfo = Object(await getJson("/_store/session"));
  if (storeId.value !== "" && session.store !== storeId.value) return "replaced";
  storeId.value = session.store;
  info.value = session;
  const silence = new AbortController();
  const headers = lastEventId === "" ? undefined : { "Last-Event-ID": lastEventId };
  const response = await send("/_store/events", headers, { signal: silence.signal });
  if (!response.ok || response.body === null) throw new RequestFailure(response.status);
  // Once the stream is open, a change is announced there.
  await loadSettings();
  if (lastEventId === "") feed.value = emptyFeed;
  connection.value = "live";
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
      const events = parse(decoder.decode(chunk, { stream: true }));
      batch(() => events.forEach(apply));
    }
  } finally {
    clearTimeout(timer);
  }
}

function apply({ event, id, data }: ServerSentEvent): void {
  const value = Object(JSON.parse(data));
  if (event === "request") {
    lastEventId = id;
    feed.value = withRow(feed.value, value);
  } else if (event === "gap")
    // Null if the store was restarted, and remembers none of the requests from before.
    feed.value = value.missed === null ? emptyFeed : withGap(feed.value, value.missed);
  else if (event === "rates") feed.value = withRates(feed.value, value);
  else if (event === "reset") {
    storeId.value = String(value.store);
    lastEventId = "";
    feed.value = emptyFeed;
    void loadSettings();
  }
  for (const name of settingNames) if (event === name) settings[name].value = value;
}
