import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RequestRow } from "../../../../src/server/request-log/types.ts";
import {
  type Answer,
  broken,
  down,
  event,
  faults,
  open,
  refused,
  request,
  session,
  stream,
} from "./page-store.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const here = session("s");

/** Opens the page of a store that answers so in turn, with one stream. */
async function openStore(...sessions: readonly Answer[]) {
  const events = stream();
  const page = await open({
    "/_store/session": sessions,
    "/_store/events": [events.answer, stream().answer],
    "/_store/faults": [faults],
  });
  return { ...page, events };
}

const ids = (rows: readonly RequestRow[]): string => rows.map(({ id }) => id).join();

describe("a page with access", () => {
  it("is live, with remembered and new requests, and the faults in force", async () => {
    const { events, ...page } = await openStore(here);
    await events.push(request("s-1") + request("s-2") + request("s-3").slice(0, 20));
    await events.push(request("s-3").slice(20));
    expect(page.states).toEqual(["live"]);
    expect(ids(page.feed.value.rows)).toBe("s-3,s-2,s-1");
    expect(page.settings.faults.value).toEqual({ fault: "500:0.1", latency: "0" });
  });

  it("keeps a change that is announced before the reply to an earlier one", async () => {
    const { events, ...page } = await openStore(here);
    const changed = page.loadSetting("faults", '{"fault":"500:0.1"}');
    await events.push(event("faults", { fault: "hang:1", latency: "0" }));
    await changed;
    expect(page.settings.faults.value).toEqual({ fault: "hang:1", latency: "0" });
  });

  it("shows nothing from before when the store was started anew", async () => {
    const { events, ...page } = await openStore(here);
    await events.push(request("s-1"));
    await events.push(event("gap", { missed: null }) + request("s-9"));
    expect(ids(page.feed.value.rows)).toBe("s-9");
  });

  it("notices gaps and rates, and starts again after a reset with the new id of the store", async () => {
    const { events, ...page } = await openStore(here, session("t"));
    await events.push(`event: gap\ndata: {"missed":5}\n\n`);
    expect(page.feed.value.missed).toBe(5);
    const now = Date.now();
    await events.push(event("rates", { now, seconds: [[Math.floor(now / 1000), { ok: 2_700 }]] }));
    expect([...page.feed.value.seconds.values()]).toEqual([{ ok: 2_700 }]);
    await events.push(`${request("s-1")}event: reset\ndata: {"store":"t"}\n\n`);
    expect([page.feed.value.rows, page.storeId.value]).toEqual([[], "t"]);
    events.end();
    await vi.advanceTimersByTimeAsync(500);
    expect(page.asked.slice(-5, -2)).toEqual([
      "/_store/session",
      "/_store/events",
      "/_store/faults",
    ]);
  });
});

describe("a page that lost the store", () => {
  it("resumes after the last request that it saw, and asks again for the faults", async () => {
    const { events, ...page } = await openStore(here);
    await events.push(request("s-7"));
    events.end();
    await vi.advanceTimersByTimeAsync(500);
    expect(page.states).toEqual(["live", "lost", "live"]);
    const again = ["/_store/session", "/_store/events s-7", "/_store/faults"];
    expect(page.asked.slice(-5, -2)).toEqual(again);
  });

  it("gives up a stream that is silent for 40 s", async () => {
    const { events, ...page } = await openStore(here);
    await vi.advanceTimersByTimeAsync(39_000);
    await events.push(":\n\n");
    await vi.advanceTimersByTimeAsync(39_000);
    expect(page.states).toEqual(["live"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.states).toEqual(["live", "lost"]);
  });

  it("retries less and less often, but at least every 5 s", async () => {
    const page = await open({ "/_store/session": [down] });
    const tries: number[] = [];
    for (const ms of [500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      await vi.advanceTimersByTimeAsync(ms - 1);
      tries.push(page.asked.length);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(tries).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each<[string, Answer, string]>([
    ["another store answers", session("t"), "replaced"],
    ["it needs a link", refused, "locked"],
  ])("stops when %s", async (_what, next, state) => {
    const { events, ...page } = await openStore(here, next);
    events.end();
    await vi.advanceTimersByTimeAsync(500);
    await page.ended;
    expect([page.connection.value, page.storeId.value]).toEqual([state, "s"]);
  });

  it("retries soon after it was live for a while", async () => {
    const { events, ...page } = await openStore(down, down, here);
    await vi.advanceTimersByTimeAsync(1_500 + 6_000);
    events.end();
    await vi.advanceTimersByTimeAsync(500);
    expect(page.states).toEqual(["lost", "live", "lost", "live"]);
  });

  it("is not replaced by a reply that breaks off", async () => {
    const { events, ...page } = await openStore(here, broken, here);
    events.end();
    await vi.advanceTimersByTimeAsync(500);
    expect(page.connection.value).toBe("lost");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(page.connection.value).toBe("live");
  });
});
