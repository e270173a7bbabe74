import { batch, signal } from "@preact/signals";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { type ServerSentEvent, sseParser } from "../../request-log/sse.ts";
import { getJson, postJson, RequestFailure, secretName, send } from "./api.ts";
import { emptyFeed, type Feed, withGap, withRates, withRow } from "./feed.ts";

/** Whether the page has access, and whether it gets live events, as its header says it. */
export const stateTexts = {
  connecting: "connecting",
  live: "live",
  lost: "reconnecting",
  locked: "no access",
  replaced: "another store",
} as const;

export const connection = signal<keyof typeof stateTexts>("connecting");
export const info = signal<StoreShapes["session"]>();
export const feed = signal<Feed>(emptyFeed);
/** What of the store can be changed, as `GET /_store/…` returns it; undefined until it is known. */
export const settings = {
  faults: signal<StoreShapes["faults"]>(),
  /** `receivedAt` is a moment of `performance.now`. */
  clock: signal<StoreShapes["clock"] & { readonly receivedAt: number }>(),
  script: signal<StoreShapes["script"]>(),
};
const settingNames = ["faults", "clock", "script"] as const;

const retryMs = 1_000;
/** How long the stream may be silent, in ms, before it counts as lost: the store sends something every 15 s. */
const silenceMs = 40_000;

/** Exchanges the token of a link, if any, for the secret that opens the store to all windows of this origin. */
export async function redeem(token: string | undefined): Promise<void> {
  if (token === undefined) return;
  const exchanged = postJson<StoreShapes["access"]>("/", JSON.stringify({ token }));
  const found = await exchanged.catch(() => undefined);
  if (found !== undefined) localStorage.setItem(secretName, found.secret);
}

/** Follows the store until another one replaces it, with the access that the token of a link gives, if any. */
export async function connect(token: string | undefined): Promise<void> {
  await redeem(token);
  for (;;) {
    await follow().catch((error: unknown) => {
      const isLocked = error instanceof RequestFailure && error.status === 401;
      connection.value = isLocked ? "locked" : "lost";
    });
    if (connection.value !== "lost") return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Fetches a setting as it is in force, or after `change`, the body of a POST. Throws a RequestFailure. */
export async function loadSetting(name: keyof typeof settings, change?: string): Promise<void> {
  const path = `/_store/${name}`;
  const before = settings[name].value;
  const value = await (change === undefined
    ? getJson<object>(path)
    : postJson<object>(path, change));
  // What was announced meanwhile is newer.
  if (settings[name].value === before) setSetting(name, value);
}

function setSetting(name: keyof typeof settings, value: object): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no type follows each name to its value.
  settings[name].value = { ...value, receivedAt: performance.now() } as never;
}

function loadSettings(): Promise<unknown> {
  return Promise.allSettled(settingNames.map((name) => loadSetting(name)));
}

/** Follows the store until the stream ends, or another store responds. Throws a RequestFailure, and what the stream throws. */
async function follow(): Promise<void> {
  const session = await getJson<StoreShapes["session"]>("/_store/session");
  if (info.value !== undefined && session.store !== info.value.store) {
    connection.value = "replaced";
    return;
  }
  info.value = session;
  const silence = new AbortController();
  const lastId = feed.value.rows[0]?.id;
  const headers = lastId === undefined ? {} : { "Last-Event-ID": lastId };
  const response = await send("/_store/events", { headers, signal: silence.signal });
  if (!response.ok || response.body === null) throw new RequestFailure(response.status);
  // Once the stream is open, a change is announced there.
  await loadSettings();
  if (lastId === undefined) feed.value = emptyFeed;
  connection.value = "live";
  const parse = sseParser();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
    batch(() => parse(text).forEach(apply));
  }
  connection.value = "lost";
}

function apply({ event, data }: ServerSentEvent): void {
  const value = JSON.parse(data);
  if (event === "request") feed.value = withRow(feed.value, value);
  else if (event === "gap")
    // Null if the store was restarted, and remembers none of the requests from before.
    feed.value = value.missed === null ? emptyFeed : withGap(feed.value, value.missed);
  else if (event === "rates") feed.value = withRates(feed.value, value);
  else if (event === "reset") {
    if (info.value !== undefined) info.value = { ...info.value, store: String(value.store) };
    feed.value = emptyFeed;
    void loadSettings();
  }
  for (const name of settingNames) if (event === name) setSetting(name, value);
}
