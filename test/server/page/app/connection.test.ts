import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What `fetch` resolves to; undefined if there is no reply. */
type Answer = (options: RequestInit) => Response | undefined;

/** Returns the session of the store with this id. */
const session =
  (store: string): Answer =>
  () =>
    Response.json({ store, baseUrl: "http://127.0.0.1:80/v1", data: "memory", lab: false });
const here = session("s");
const down: Answer = () => undefined;

/** A stream of events that lasts until it is ended, or its request is aborted. */
function stream() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const answer: Answer = ({ signal }) => {
    const body = new ReadableStream<Uint8Array>({ start: (each) => void (controller = each) });
    signal?.addEventListener("abort", () => controller?.error(signal.reason));
    return new Response(body);
  };
  const push = async (text: string): Promise<void> => {
    controller?.enqueue(Buffer.from(text));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { answer, push, end: () => controller?.close() };
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
  const page = await import("../../../../src/server/page/app/connection.ts");
  const states: string[] = [];
  page.connection.subscribe((state) => void (state === "connecting" || states.push(state)));
  const ended = page.connect(undefined);
  await vi.advanceTimersByTimeAsync(0);
  const ids = (): string => page.feed.value.rows.map(({ id }) => id).join();
  return { ...page, events, asked, states, ended, ids };
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
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.asked.slice(-5, -3)).toEqual(["/_store/session", "/_store/events"]);
  });
});

describe("a page that lost the store", () => {
  it("tries again every second, after the last request that it saw, and asks for the faults", async () => {
    const { events, ...page } = await openPage(here, down, down, here);
    await events.push(request("s-7"));
    events.end();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(page.states).toEqual(["live", "lost"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(page.states).toEqual(["live", "lost", "live"]);
    const again = ["/_store/session", "/_store/events s-7", "/_store/faults"];
    expect(page.asked.slice(-5, -2)).toEqual(again);
  });

  it("gives up a stream that is silent for 40 s", async () => {
    const { events, states } = await openPage(here);
    await vi.advanceTimersByTimeAsync(39_000);
    await events.push(":\n\n");
    await vi.advanceTimersByTimeAsync(39_000);
    expect(states).toEqual(["live"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(states).toEqual(["live", "lost"]);
  });

  it.each<[string, Answer, string]>([
    ["another store answers", session("t"), "replaced"],
    ["it needs a link", () => new Response("{}", { status: 401 }), "locked"],
  ])("stops when %s", async (_what, next, state) => {
    const { events, ...page } = await openPage(here, next);
    events.end();
    await vi.advanceTimersByTimeAsync(1_000);
    await page.ended;
    expect([page.connection.value, page.info.value?.store]).toEqual([state, "s"]);
  });
});
