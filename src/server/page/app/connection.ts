import { batch, computed, signal } from "@preact/signals";
import type { StoreShapes } from "../../api/store-shapes.ts";
import { type ServerSentEvent, sseParser } from "../../request-log/sse.ts";
import { answeringId, getJson, postJson, RequestFailure, secretName, send } from "./api.ts";
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
/** What the check has found so far; undefined unless the store judges its clients. */
export const check = signal<StoreShapes["check"]>();
const settingNames = ["faults", "clock", "script"] as const;

/** Whether this tab is visible: a hidden one sends no requests, and ignores other tabs. */
const seen = signal(true);
/** Whether this tab fetches what it shows, again and again. */
export const isAsking = computed(() => seen.value && connection.value === "live");

/** A browser opens six connections to a host: so only the tab of this origin that holds this lock has the stream. */
const lockName = "pets-page";
let channel: BroadcastChannel | undefined;
/** Aborted when this tab becomes visible or hidden, or must lead. */
let turn = new AbortController();
/** The turn in which this tab got the lock. */
let led: AbortController | undefined;
const isLeading = (): boolean => led === turn && !turn.signal.aborted;
/** When the leading tab last sent a message, by `performance.now`. */
let heardAt = 0;
/** Lets a leading tab that waits try again at once. */
let wake = (): void => {};

const retryMs = 1_000;
/** How long the stream may be silent, in ms, before it counts as lost: the store sends something every 15 s. */
const silenceMs = 40_000;
/** How often the leading tab sends a message at least, and after which silence another one leads, in ms. */
const [beatMs, maxSilenceMs] = [1_000, 5_000];

/** A new tab greets; the leading one shows that it is there, or sends what it knows. */
type Message = "hello" | "beat" | News;

/** `events` led to the state; without them, the tab was greeted or has a new stream. */
interface News {
  readonly state: keyof typeof stateTexts;
  readonly store: StoreShapes["session"] | undefined;
  readonly feed: Feed;
  readonly answeringId: string;
  readonly events?: readonly ServerSentEvent[] | undefined;
}

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
  channel = new BroadcastChannel(lockName);
  channel.addEventListener("message", ({ data }) => hear(data));
  seen.value = !document.hidden;
  document.addEventListener("visibilitychange", () => {
    seen.value = !document.hidden;
    turn.abort();
  });
  setInterval(() => {
    if (isLeading()) say("beat");
    else if (seen.value && performance.now() - heardAt > maxSilenceMs) turn.abort("silent");
  }, beatMs);
  while (connection.value !== "replaced") {
    const isSilent = turn.signal.reason === "silent";
    turn = new AbortController();
    await (seen.value ? takePart(turn, isSilent) : ended(turn));
  }
}

function ended(own: AbortController): Promise<void> {
  return new Promise((resolve) => own.signal.addEventListener("abort", () => resolve()));
}

/** Follows the leading tab, and leads as soon as there is none; a silent one (`isSilent`) it replaces at once. */
async function takePart(own: AbortController, isSilent: boolean): Promise<void> {
  heardAt = performance.now();
  say("hello");
  const options = isSilent ? { steal: true } : { signal: own.signal };
  await navigator.locks.request(lockName, options, () => lead(own)).catch(() => {});
  // Another tab may have taken the lock away.
  own.abort();
}

/** Follows the store, and tells the other tabs, until the turn ends or another store responds. */
async function lead(own: AbortController): Promise<void> {
  led = own;
  own.signal.addEventListener("abort", () => wake());
  say("beat");
  while (!own.signal.aborted) {
    const state = await follow(own).catch((error: unknown) =>
      error instanceof RequestFailure && error.status === 401 ? "locked" : "lost",
    );
    if (own.signal.aborted) return;
    connection.value = state;
    // The others notice by themselves: some may show the new store.
    if (state === "replaced") return;
    tell();
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (state === "lost") setTimeout(resolve, retryMs);
    });
  }
}

function say(message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin.
  channel?.postMessage(message);
}

/** Tells the other tabs the state, and with it the events that led to it, if any. */
function tell(events?: readonly ServerSentEvent[]): void {
  const [state, store] = [connection.value, info.value];
  say({ state, store, feed: feed.value, answeringId: answeringId.value, events });
}

function hear(message: Message): void {
  if (message === "hello") {
    if (isLeading() && connection.value !== "connecting") tell();
    if (isLeading()) wake();
    return;
  }
  if (!seen.value || isLeading() || connection.value === "replaced") return;
  heardAt = performance.now();
  if (message !== "beat") batch(() => adopt(message));
}

function adopt({ state, store, events, ...news }: News): void {
  if (store !== undefined && isOther(store)) {
    connection.value = "replaced";
    turn.abort();
    return;
  }
  events?.forEach(apply);
  connection.value = state;
  answeringId.value = news.answeringId;
  // A new tab may show another store than one that has lost its own.
  if (store !== undefined && (state === "live" || info.value !== undefined))
    [info.value, feed.value] = [store, news.feed];
  if (state === "live" && events === undefined) void loadSettings();
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

/** Fetches what the check has found so far. */
export async function loadCheck(): Promise<void> {
  check.value = (await getJson<StoreShapes["check"] | null>("/_store/check")) ?? undefined;
}

function loadSettings(): Promise<unknown> {
  return Promise.allSettled([...settingNames.map((name) => loadSetting(name)), loadCheck()]);
}

/** Returns whether a store is neither the one of this page, nor that one after a reset. */
function isOther({ store, run }: StoreShapes["session"]): boolean {
  const own = info.value;
  return own !== undefined && store !== own.store && run !== own.run;
}

/** Follows the store until the stream ends, or another store responds. Throws a RequestFailure, and what the stream throws. */
async function follow(own: AbortController): Promise<"lost" | "replaced"> {
  const session = await getJson<StoreShapes["session"]>("/_store/session", { signal: own.signal });
  if (isOther(session)) return "replaced";
  info.value = session;
  const silence = new AbortController();
  const lastId = feed.value.rows[0]?.id;
  const response = await send("/_store/events", {
    headers: lastId === undefined ? {} : { "Last-Event-ID": lastId },
    signal: AbortSignal.any([own.signal, silence.signal]),
  });
  if (!response.ok || response.body === null) throw new RequestFailure(response.status);
  // Once the stream is open, a change is announced there.
  void loadSettings();
  if (lastId === undefined) feed.value = emptyFeed;
  connection.value = "live";
  tell();
  const parse = sseParser();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
    const events = parse(text);
    batch(() => events.forEach(apply));
    if (events.length > 0) tell(events.filter(({ event }) => event !== "request"));
  }
  return "lost";
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
