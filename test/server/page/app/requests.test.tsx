// @vitest-environment happy-dom
import { describe, expect, it } from "vitest";
import { feed } from "../../../../src/server/page/app/connection.ts";
import {
  emptyFeed,
  type Feed,
  withGap,
  withRates,
  withRow,
} from "../../../../src/server/page/app/feed.ts";
import { filters, noFilters, RequestsView } from "../../../../src/server/page/app/requests.tsx";
import type { RequestEntry, RequestRow } from "../../../../src/server/request-log/types.ts";
import { type Answers, show } from "./views.tsx";

/** Returns the entry of a request with this number. */
const entryOf = (number: number): RequestEntry => ({
  id: `s-${number}`,
  time: "2026-11-05T12:00:00.000Z",
  remoteAddress: "127.0.0.1",
  keyId: "abc",
  method: "GET",
  path: number === 3 ? "/v1/pets?limit=5" : `/v1/pets?${number}`,
  status: 200,
  durationMs: 0.4,
  limits: { limit: 2_147_483_647, remaining: 2_147_483_647, resetAt: "2026-11-05T12:01:00.000Z" },
  fault: null,
  early: false,
  requestHeaders: { Host: "127.0.0.1" },
  requestBody: "",
  responseHeaders: { "Content-Type": "application/json" },
  responseBody: '[{"id":9223372036854775807}]',
  truncated: false,
});

const row = (number: number, more: Partial<RequestRow> = {}): RequestRow => ({
  ...entryOf(number),
  ...more,
});

/** Shows requests 1 to 3; 2 and 3 can be opened. */
async function showThree(answers: Answers = {}) {
  location.hash = "requests";
  const view = await show(<RequestsView />, {
    "/_store/requests/s-2": entryOf(2),
    "/_store/requests/s-3": entryOf(3),
    ...answers,
  });
  const update = (change: (before: Feed) => Feed): Promise<void> =>
    view.settled(() => (feed.value = change(feed.value)));
  await update((before) => [row(1), row(2), row(3)].reduce(withRow, before));
  const paths = (): (string | null)[] =>
    [...view.root.querySelectorAll(".requests .path")].map(({ textContent }) => textContent);
  const escape = (): Promise<void> =>
    view.settled(() => {
      const key = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
      document.activeElement?.dispatchEvent(key);
    });
  return { ...view, update, paths, escape };
}

describe("the list", () => {
  it("is newest first, and held while a request is open", async () => {
    const { click, escape, find, paths, text, update } = await showThree();
    expect(paths()).toEqual(["/v1/pets?limit=5", "/v1/pets?2", "/v1/pets?1"]);
    await click(".request", "limit=5");
    expect(location.hash).toBe("#requests/s-3");
    expect(find("article").textContent).toContain("GET /v1/pets?limit=5");
    await update((before) => withGap(withRow(before, row(4)), 9));
    expect(paths()).toHaveLength(3);
    expect(text()).toContain("Paused while a request is open: 10 new requests.");
    await escape();
    expect(location.hash).toBe("#requests");
    expect(paths()).toHaveLength(4);
    expect(document.activeElement).toBe(find(".request", "limit=5"));
    expect(text()).not.toContain("Paused");
  });

  it("keeps nothing of an earlier store, even if it is held", async () => {
    const { click, paths, update } = await showThree();
    await click(".request", "limit=5");
    await update(() => withRow(emptyFeed, row(9)));
    expect(paths()).toEqual(["/v1/pets?9"]);
  });

  it("shows what the filters match", async () => {
    const { paths, settled, update } = await showThree();
    const odd = [row(4, { status: 503 }), row(5, { status: null, keyId: null, early: true })];
    await update((before) => odd.reduce(withRow, before));
    const shown = async (chosen: Partial<typeof noFilters>): Promise<string> => {
      await settled(() => (filters.value = { ...noFilters, ...chosen }));
      return paths().join(" ");
    };
    expect(await shown({ path: "GET /v1/PETS?2" })).toBe("/v1/pets?2");
    expect(await shown({ outcome: "server" })).toBe("/v1/pets?4");
    expect(await shown({ outcome: "none" })).toBe("/v1/pets?5");
    expect(await shown({ outcome: "early" })).toBe("/v1/pets?5");
    expect(await shown({ outcome: "503" })).toBe("/v1/pets?4");
    expect(await shown({ outcome: "500" })).toBe("");
    expect(await shown({ key: "-" })).toBe("/v1/pets?5");
    expect(await shown({ key: "ab" })).toBe("");
    expect(await shown({ outcome: "ok", key: "abc", path: "limit" })).toBe("/v1/pets?limit=5");
    await shown({});
  });

  it("tells the rate of all requests, and how many are missed in it", async () => {
    const { text, update } = await showThree();
    const now = Date.now();
    const second = Math.floor(now / 1000);
    const seconds = [1, 2, 3, 4, 5].map((ago) => [second - ago, { ok: 2_700 }] as const);
    await update((before) => withGap(withRates(before, { now, seconds }), 1_234));
    expect(text()).toContain("2,700/s");
    expect(text()).toContain("1,234 requests not listed: too many arrived at once");
  });
});

describe("an opened request", () => {
  it("has formatted bodies, its key by plan and id, and commands for this store", async () => {
    const limits = { now: 0, keys: [{ id: "abc", plan: "pro" }] };
    const { click, text } = await showThree({ "/_store/limits": limits });
    await click(".request", "limit=5");
    expect(text()).toContain('[ { "id": 9223372036854775807 } ]');
    expect(text()).toContain("Content-Type: application/json");
    expect(text()).toContain("unlimited");
    expect(text()).toContain("Keypro abc");
    expect(text()).toContain(
      "pets list --limit 5 --profile local --base-url http://127.0.0.1:4010/v1",
    );
    expect(text()).toContain("curl -i --globoff --path-as-is");
  });

  it("has its whole path, how much of its limit was used, and that it was sent too soon", async () => {
    const limits = { limit: 12_000, remaining: 11_998, resetAt: "2026-11-05T12:01:00.000Z" };
    const sent = { ...entryOf(2), limits, early: true };
    const path = `/v1/pets?${"x".repeat(9_999)}`;
    const { click, find, text } = await showThree({ "/_store/requests/s-2": { ...sent, path } });
    await click(".request", "?2");
    expect(find("pre", "Host:").textContent).toContain(`GET ${path}\n`);
    expect(find("h3").textContent.length).toBeLessThan(1_000);
    expect(text()).toContain("Limit2 of 12,000 usedSentbefore Retry-After elapsed");
  });

  it("can be opened by its link alone, also after another", async () => {
    const { find, settled } = await showThree();
    expect(find(".request", "?2").getAttribute("href")).toBe("#requests/s-2");
    for (const number of [2, 3]) {
      await settled(() => (location.hash = `requests/s-${number}`));
      expect(find("article h3").textContent).toContain(entryOf(number).path);
    }
  });

  it("says so if the store has forgotten it", async () => {
    const { click, find } = await showThree();
    await click(".request", "?1");
    expect(find("[role=alert]").textContent).toBe("not there");
  });
});
