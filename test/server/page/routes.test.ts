import { expect, it } from "vitest";
import { pageRoutes } from "../../../src/server/page/routes.ts";
import { makeSessions } from "../../../src/server/page/sessions.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { exchangeOf } from "../../support/servers/exchange.ts";

it.each([
  ["http", false, undefined, undefined],
  ["https", true, {}, "local"],
])("describes the store, and links to its page, by %s", async (scheme, isEncrypted, lab, saved) => {
  const storage = memoryStorage();
  const sessions = makeSessions(storage.pageSecret);
  const parts = { storage, limits: memoryLedger(), now: Date.now, profile: () => saved, lab };
  const ask = async (path: string) => {
    const route = pageRoutes(parts, sessions).find((each) => each.path === path);
    const headers = { host: "127.0.0.1:80" };
    const reply = await route?.GET?.(exchangeOf({ target: path, headers, isEncrypted }), "");
    expect(reply?.headers).toEqual({ "Cache-Control": "no-store" });
    return JSON.parse(String(reply?.body));
  };
  expect(await ask("/_store/session")).toEqual({
    store: storage.storeId(),
    baseUrl: `${scheme}://127.0.0.1:80/v1`,
    data: "memory",
    lab: lab !== undefined,
    profile: saved ?? null,
  });
  const { url } = await ask("/_store/page");
  expect(url).toMatch(new RegExp(`^${scheme}://127\\.0\\.0\\.1:80/#[\\w-]{32}$`));
  expect(sessions.redeem(url.split("#")[1])).toBe(storage.pageSecret());
});
