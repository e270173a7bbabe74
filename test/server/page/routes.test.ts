import { expect, it, onTestFinished } from "vitest";
import { keyRecord } from "../../../src/server/keys.ts";
import { type PageParts, pageRoutes, viewRoutes } from "../../../src/server/page/routes.ts";
import { makeSessions } from "../../../src/server/page/sessions.ts";
import { noQuotas, parsePlan } from "../../../src/server/rate-limits/plans.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import type { Route } from "../../../src/server/routes/router.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { endedRequest, momentAt, momentsAt } from "../../support/servers/exchange.ts";

const start = Date.UTC(2026, 10, 5, 12, 0, 30);

function partsOf(more: Partial<Omit<PageParts, "limits">> = {}) {
  const storage = memoryStorage();
  onTestFinished(() => storage.close());
  return {
    storage,
    limits: memoryLedger(),
    clock: { moment: () => momentAt(start) },
    profile: () => undefined,
    ...more,
  };
}

/** Returns the body of the response to a GET. */
async function ask(routes: readonly Route[], target: string, isEncrypted = false) {
  const route = routes.find(({ path }) => path === target.split("?")[0]);
  const request = endedRequest({ target, headers: { host: "127.0.0.1:80" }, isEncrypted });
  const reply = await route?.GET?.(request, "");
  expect(reply?.headers).toEqual({ "Cache-Control": "no-store" });
  return String(reply?.body);
}

it.each([
  ["http", false, undefined, undefined],
  ["https", true, {}, "local"],
])("describes the store, and links to its page, by %s", async (scheme, isEncrypted, lab, saved) => {
  const parts = partsOf({ profile: () => saved, lab });
  const { storeId, pageSecret } = parts.storage;
  const sessions = makeSessions(pageSecret);
  const routes = pageRoutes(parts, sessions);
  expect(JSON.parse(await ask(routes, "/_store/session", isEncrypted))).toEqual({
    store: storeId(),
    baseUrl: `${scheme}://127.0.0.1:80/v1`,
    data: "memory",
    lab: lab !== undefined,
    profile: saved ?? null,
    run: expect.any(String),
  });
  const { url } = JSON.parse(await ask(routes, "/_store/page", isEncrypted));
  expect(url).toMatch(new RegExp(`^${scheme}://127\\.0\\.0\\.1:80/#[\\w-]{32}$`));
  expect(sessions.redeem(url.split("#")[1])).toBe(pageSecret());
});

it("shows the newest animals of a status, digit for digit, and all counts", async () => {
  const parts = partsOf();
  const empty = await ask(viewRoutes(parts), "/_store/pets");
  expect(empty).toBe('{"total":0,"counts":{},"pets":[]}');
  await parts.storage.add({ name: "Rex", categoryId: 2n ** 63n - 1n, status: "sold" });
  await parts.storage.add({ name: "Mia", categoryId: 1n });
  const routes = viewRoutes(parts);
  const head = '{"total":2,"counts":{"none":1,"sold":1},"pets":[';
  const rex = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';
  const mia = '{"id":2,"name":"Mia","categoryId":1}';
  expect(await ask(routes, "/_store/pets?status=sold")).toBe(`${head}${rex}]}`);
  expect(await ask(routes, "/_store/pets?status=none")).toBe(`${head}${mia}]}`);
  expect(await ask(routes, "/_store/pets")).toBe(`${head}${mia},${rex}]}`);
});

const [nextMinute, nextDay] = [Date.UTC(2026, 10, 5, 12, 1), Date.UTC(2026, 10, 6)];
const inMinute = { used: 2, limit: 3, resetAt: nextMinute, seconds: 60 };
const inDay = { used: 2, limit: 9, resetAt: nextDay, seconds: 86_400 };

it.each([
  ["3/min,9/day", 2, { windows: [inMinute, inDay], waitUntil: null, bannedUntil: null }],
  ["1/min,9/day", 2, { waitUntil: nextMinute, bannedUntil: null }],
  ["1/min,9/day", 5, { bannedUntil: start + 4 * 300 + 600_000 }],
  ["enterprise", 0, { windows: [{ limit: null }, { limit: null }] }],
  ["of a later version", 0, { windows: [{ limit: null }, { limit: null }] }],
])("shows the limits of the plan %s after %d requests", async (planName, requests, expected) => {
  let now = start;
  const parts = partsOf({ clock: { moment: () => momentAt(now) } });
  const key = keyRecord("k", planName);
  await parts.storage.putKey(key, 1);
  const plan = parsePlan(planName) ?? { name: "", quotas: noQuotas };
  for (; now < start + requests * 300; now += 300)
    await parts.limits.admit(key.id, plan, momentsAt(now));
  const shown = JSON.parse(await ask(viewRoutes(parts), "/_store/limits"));
  expect(shown).toMatchObject({ now, keys: [{ id: key.id, plan: planName, ...expected }] });
});
