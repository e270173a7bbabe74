import { describe, expect, it } from "vitest";
import { pageArea, pageLink, type PageParts, pageRoutes } from "../../../src/server/page/routes.ts";
import { makeSessions } from "../../../src/server/page/sessions.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { exchangeOf } from "../../support/servers/exchange.ts";

/** Returns a request to 127.0.0.1:80 with this body, over TLS or not. */
function requestWith(content = "", isEncrypted = false, headers = {}) {
  const all = { host: "127.0.0.1:80", ...headers };
  return exchangeOf({ target: "/", content, isEncrypted, headers: all });
}

/** The routes of a store with a page. */
function pageOf(more: Partial<PageParts> = {}) {
  const storage = memoryStorage();
  const sessions = makeSessions(storage.pageSecret);
  const parts = { storage, limits: memoryLedger(), now: Date.now, profile: () => undefined };
  const routes = pageRoutes({ ...parts, ...more }, sessions);
  const ask = async (method: "GET" | "POST", path: string, request = requestWith()) => {
    const handler = routes.find((route) => route.path === path)?.[method];
    if (handler === undefined) throw new TypeError(`no ${method} ${path}`);
    return handler(request, "");
  };
  return { storage, sessions, ask };
}

describe("the exchange of a token", () => {
  it("gives the secret of the store, once", async () => {
    const { storage, sessions, ask } = pageOf();
    const body = JSON.stringify({ token: sessions.issueToken() });
    const reply = await ask("POST", "/", requestWith(body));
    expect(reply).toMatchObject({ status: 200, headers: { "Cache-Control": "no-store" } });
    expect(JSON.parse(String(reply.body))).toEqual({ secret: storage.pageSecret() });
    await expect(ask("POST", "/", requestWith(body))).rejects.toMatchObject({ status: 401 });
  });

  it.each(["", "{}", "null", "token", '{"token":7}', '{"token":["x"]}'])(
    "is a 401 for %j, and says how to get another link",
    async (body) => {
      const exchanged = pageOf().ask("POST", "/", requestWith(body));
      await expect(exchanged).rejects.toMatchObject({
        status: 401,
        message: expect.stringContaining("`pets store page` prints another"),
      });
    },
  );
});

describe("the start of a visit", () => {
  it.each([
    [false, undefined, "http://127.0.0.1:80/v1", false],
    [true, {}, "https://127.0.0.1:80/v1", true],
  ])("returns the store, over TLS: %s", async (isEncrypted, lab, baseUrl, hasLab) => {
    const { storage, ask } = pageOf(lab && { lab });
    const { body, headers } = await ask("GET", "/_store/session", requestWith("", isEncrypted));
    expect(JSON.parse(String(body))).toEqual({
      store: storage.storeId(),
      baseUrl,
      data: "memory",
      lab: hasLab,
      profile: null,
    });
    expect(headers).toEqual({ "Cache-Control": "no-store" });
  });

  it("returns a link for one visit, at the address of the request", async () => {
    const { sessions, ask } = pageOf();
    const { body } = await ask("GET", "/_store/page", requestWith("", true));
    const { url } = JSON.parse(String(body));
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:80\/#[\w-]{32}$/);
    expect(sessions.redeem(url.split("#")[1])).toBeDefined();
    expect(pageLink("http://x", sessions)).not.toBe(pageLink("http://x", sessions));
  });
});

it.each([
  ["from another machine's name", { host: "evil.example" }, 404],
  ["from another page", { origin: "http://evil.example" }, 403],
])("rejects a request %s", async (_what, headers, status) => {
  const exchange = requestWith("", false, headers);
  await expect(pageArea.admit(exchange)).rejects.toMatchObject({ status });
});

it("accepts a request from this machine", async () => {
  await expect(pageArea.admit(requestWith())).resolves.toBeUndefined();
});
