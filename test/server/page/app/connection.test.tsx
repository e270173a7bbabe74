import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** Whether the tabs of a test are hidden. */
function setHidden(hidden: boolean): void {
  Object.assign(document, { hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}

/** Lets time pass, with what locks and channels, which are Node's own, bring in some turns of its loop. */
const later = setTimeout;
async function pass(ms = 0): Promise<void> {
  for (const step of [0, 0, ms, 0, 0]) {
    await vi.advanceTimersByTimeAsync(step);
    await new Promise((resolve) => later(resolve, 2));
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "performance"] });
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: false }));
});
afterEach(async () => {
  setHidden(true);
  await pass();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What `fetch` resolves to; undefined if there is no reply. */
type Answer = (options: RequestInit) => Response | undefined;

/** Returns the session of the store with this id. */
const session =
  (store: string, run = store): Answer =>
  () =>
    Response.json({ store, run, baseUrl: "http://127.0.0.1:80/v1", data: "memory", lab: false });
const here = session("s");
const down: Answer = () => undefined;

/** A stream of events that lasts until it is ended, or its request is aborted. */
function stream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const answer: Answer = ({ signal }) => {
    const body = new ReadableStream<Uint8Array>({ start: (each) => void (controller = each) });
    signal?.addEventListener("abort", () => {
      controller?.error(signal.reason);
      controller = undefined;
    });
    return new Response(body);
  };
  const push = async (text: string): Promise<void> => {
    controller?.enqueue(new TextEncoder().encode(text));
    await pass();
  };
  return { answer, push, end: () => controller?.close(), isOpen: () => controller !== undefined };
}

const event = (name: string, value: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
const request = (id: string): string => `id: ${id}\n${event("request", { id, status: 200 })}`;

/** Opens the page of a store whose session is told so in turn, the last one repeated, with one stream. */
async function openPage(...sessions: readonly Answer[]) {
  const events = stream();
  const answers: Record<string, Answer[]> = {
    "/_store/session": [...sessions],
    "/_store/events": [events.answer, stream().answer],
    "/_store/check": [() => Response.json({ early: 2 }), () => new Response("null")],
    "/_store/faults": [() => Response.json({ fault: "500:0.1", latency: "0" })],
  };
  const asked: string[] = [];
  vi.stubGlobal("localStorage", { getItem: () => "s3cret" });
  vi.stubGlobal("fetch", async (path: string, options: RequestInit) => {
    const last = new Headers(options.headers).get("Last-Event-ID");
    asked.push(last === null ? path : `${path} ${last}`);
    const { [path]: left = [down] } = answers;
    const [answer = down] = left.length > 1 ? left.splice(0, 1) : left;
    return answer(options) ?? Promise.reject(new TypeError("Failed to fetch"));
  });
  return { ...(await openTab()), events, asked };
}

/** Opens one more tab on the store that is there. */
async function openTab() {
  vi.resetModules();
  const page = await import("../../../../src/server/page/app/connection.ts");
  const states: string[] = [];
  page.connection.subscribe((state) => void (state === "connecting" || states.push(state)));
  const ended = page.connect(undefined);
  await pass();
  const ids = (): string => page.feed.value.rows.map(({ id }) => id).join();
  return { ...page, states, ended, ids };
}

describe("a page with access", () => {
  it("is live, with remembered and new requests, and the faults in force", async () => {
    const { events, ...page } = await openPage(here);
    await events.push(request("s-1") + request("s-2") + request("s-3").slice(0, 20));
    await events.push(request("s-3").slice(20));
    expect(page.states).toEqual(["live"]);
    expect(page.ids()).toBe("s-3,s-2,s-1");
    expect(page.settings.faults.value).toMatchObject({ fault: "500:0.1", latency: "0" });
  });

  it("keeps a change that is announced before the reply to an earlier one", async () => {
    const { events, ...page } = await openPage(here);
    const changed = page.loadSetting("faults", '{"fault":"500:0.1"}');
    await events.push(event("faults", { fault: "hang:1", latency: "0" }));
    await changed;
    expect(page.settings.faults.value).toMatchObject({ fault: "hang:1", latency: "0" });
  });

  it("shows nothing from before when the store was started anew", async () => {
    const { events, ids } = await openPage(here);
    await events.push(request("s-1"));
    await events.push(event("gap", { missed: null }) + request("s-9"));
    expect(ids()).toBe("s-9");
  });

  it("notices gaps and rates, and starts again after a reset with the new id of the store", async () => {
    const { events, ...page } = await openPage(here, session("t"));
    await events.push(event("gap", { missed: 5 }));
    expect(page.feed.value.missed).toBe(5);
    const now = Date.now();
    await events.push(event("rates", { now, seconds: [[Math.floor(now / 1000), { ok: 2_700 }]] }));
    expect([...page.feed.value.seconds.values()]).toEqual([{ ok: 2_700 }]);
    await events.push(request("s-1") + event("reset", { store: "t" }));
    expect([page.feed.value.rows, page.info.value?.store]).toEqual([[], "t"]);
    events.end();
    await pass(1_000);
    expect(page.asked.slice(-6, -4)).toEqual(["/_store/session", "/_store/events"]);
  });
});

describe("a page that lost the store", () => {
  it("tries again every second, after the last request that it saw, and asks for the faults", async () => {
    const { events, ...page } = await openPage(here, down, down, here);
    await events.push(request("s-7"));
    events.end();
    await pass(2_999);
    expect([page.states, page.check.value]).toEqual([["live", "lost"], { early: 2 }]);
    await pass(1);
    expect(page.states).toEqual(["live", "lost", "live"]);
    const again = ["/_store/session", "/_store/events s-7", "/_store/faults"];
    expect(page.asked.slice(-6, -3)).toEqual(again);
    // It was started without --check.
    expect(page.check.value).toBeUndefined();
  });

  it("gives up a stream that is silent for 40 s", async () => {
    const { events, states } = await openPage(here);
    await pass(39_000);
    await events.push(":\n\n");
    await pass(39_000);
    expect(states).toEqual(["live"]);
    await pass(1_000);
    expect(states).toEqual(["live", "lost"]);
  });

  it("stops when another store answers", async () => {
    const { events, ...page } = await openPage(here, session("t"));
    events.end();
    await pass(1_000);
    await page.ended;
    expect([page.connection.value, page.info.value?.store]).toEqual(["replaced", "s"]);
  });

  it("goes on with a store that was reset meanwhile", async () => {
    const { events, ...page } = await openPage(here, session("t", "s"));
    events.end();
    await pass(1_000);
    expect([page.states, page.info.value?.store]).toEqual([["live", "lost", "live"], "t"]);
  });
});

const locked: Answer = () => new Response("{}", { status: 401 });

describe("a page among others of this browser", () => {
  it("has no stream while it is hidden, and goes on after the last request that it saw", async () => {
    const { events, ...page } = await openPage(here);
    await events.push(request("s-7"));
    setHidden(true);
    await pass(60_000);
    expect([page.asked.length, events.isOpen()]).toEqual([6, false]);
    setHidden(false);
    await pass();
    expect(page.asked.slice(6, 8)).toEqual(["/_store/session", "/_store/events s-7"]);
    expect(page.states).toEqual(["live"]);
  });

  it("asks again without access only when another tab is shown", async () => {
    const { states, asked } = await openPage(locked, locked, here);
    await pass(60_000);
    expect([states, asked.length]).toEqual([["locked"], 1]);
    const other = await openTab();
    expect([other.states, asked.length]).toEqual([["locked"], 2]);
    await openTab();
    expect([states, other.states]).toEqual([
      ["locked", "live"],
      ["locked", "live"],
    ]);
  });

  it("gets from the leading tab what is there and what comes, and its settings from the store", async () => {
    const { events, asked, ...page } = await openPage(here);
    await events.push(request("s-1"));
    const other = await openTab();
    expect([other.states, other.ids(), other.info.value?.store]).toEqual([["live"], "s-1", "s"]);
    await events.push(request("s-2") + event("faults", { fault: "hang:1", latency: "0" }));
    expect([other.ids(), page.ids()]).toEqual(["s-2,s-1", "s-2,s-1"]);
    expect(other.settings.faults.value).toMatchObject({ fault: "hang:1" });
    expect(asked.filter((path) => path.startsWith("/_store/events"))).toHaveLength(1);
    events.end();
    await pass();
    expect([page.states, other.states]).toEqual([
      ["live", "lost"],
      ["live", "lost"],
    ]);
  });

  it("takes the place of a leading tab that is silent for 5 s, after the last request that it saw", async () => {
    const hung = Promise.withResolvers<void>();
    const lost = navigator.locks.request("pets-page", () => hung.promise).catch(() => "stolen");
    const { states, asked } = await openPage(here);
    await pass(5_000);
    expect([states, asked]).toEqual([[], []]);
    await pass(2_000);
    expect([states, await lost]).toEqual([["live"], "stolen"]);
  });
});
