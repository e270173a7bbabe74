import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answeringId, getJson, send } from "../../../../src/server/page/app/api.ts";
import { broken } from "./page-store.ts";

beforeEach(() => void vi.stubGlobal("localStorage", { getItem: () => "s3cret" }));
afterEach(() => void vi.unstubAllGlobals());

/** Makes `fetch` return this; returns its arguments. */
function answer(status: number, body: string, headers: Record<string, string> = {}) {
  const calls: [string, RequestInit][] = [];
  vi.stubGlobal("fetch", async (path: string, options: RequestInit) => {
    calls.push([path, options]);
    return new Response(body, { status, headers });
  });
  return calls;
}

describe("a request", () => {
  it("has the secret of this page, and bypasses caches", async () => {
    const calls = answer(200, "{}");
    await send("/_store/state", { headers: { "Last-Event-ID": "s-1" } });
    const [path, { headers, cache } = {}] = calls[0] ?? [];
    const sent = Object.fromEntries(new Headers(headers));
    expect(sent).toEqual({ "last-event-id": "s-1", "x-pets-page": "s3cret" });
    expect([path, cache]).toEqual(["/_store/state", "no-store"]);
  });

  it("without a reply fails with the status 0, and says what to do", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(getJson("/x")).rejects.toMatchObject({
      status: 0,
      message: "The store is unreachable. Is it running? Start it with `pets serve`.",
    });
  });
});

describe("a reply", () => {
  it("is its JSON, with int64 digit for digit", async () => {
    answer(200, '{"id":9223372036854775807}');
    expect(await getJson("/x")).toEqual({ id: 9223372036854775807n });
  });

  it.each([
    ["the service's message", 400, '{"message":"It is odd.","status":400}', "It is odd."],
    ["no JSON", 502, "<html>", "the store responded with 502"],
    ["no JSON, though it is a success", 200, "", "the store responded with 200"],
  ])("with %s is a failure", async (_what, status, body, message) => {
    answer(status, body);
    await expect(getJson("/x")).rejects.toMatchObject({ status, message });
  });

  it("whose body breaks off is a failure", async () => {
    vi.stubGlobal("fetch", async () => broken());
    await expect(getJson("/x")).rejects.toMatchObject({ status: 0 });
  });

  it("names its store, even if it is refused", async () => {
    const seen: string[] = [];
    answeringId.subscribe((id) => seen.push(id));
    answer(200, "{}", { "X-Pets-Store": "a" });
    await getJson("/x");
    answer(200, "{}");
    await getJson("/x");
    answer(401, "{}", { "X-Pets-Store": "b" });
    await send("/x");
    expect(seen).toEqual(["", "a", "b"]);
  });
});
