import { randomUUID } from "node:crypto";
import { pageSize } from "../../core/api.ts";
import { asPetStatus } from "../../core/pet-fields.ts";
import { ApiError } from "../api/errors.ts";
import type { RouteResponse } from "../api/response.ts";
import type { StoreShapes } from "../api/store-shapes.ts";
import type { StoreClock } from "../clock.ts";
import { readBody } from "../http/body.ts";
import { type Admitted, carriedOut } from "../http/exchange.ts";
import { originOf } from "../http/local-request.ts";
import { noQuotas, parsePlan } from "../rate-limits/plans.ts";
import type { UsageLedger } from "../rate-limits/usage-ledger.ts";
import type { Area, Route } from "../routes/router.ts";
import { checkOwnOrigin, jsonResponse, jsonText, readObject } from "../routes/store-area.ts";
import { type Storage, totalOf } from "../storage/storage.ts";
import type { PageSessions } from "./sessions.ts";

/** What the page shows of a store. */
export interface PageParts {
  readonly storage: Storage;
  readonly limits: Pick<UsageLedger, "usagesOf">;
  readonly clock: Pick<StoreClock, "moment">;
  /** Undefined if the store was started without one. */
  readonly lab?: unknown;
  /** Returns the name of the profile in which the store is saved, if it is. */
  readonly profile: () => string | undefined;
}

/** The page itself is for this machine; what it shows needs its secret. */
export const pageArea: Area = {
  prefix: "/",
  admit: async (request, isPage) => {
    checkOwnOrigin(request);
    return { request, isPage, body: await readBody(request), decision: carriedOut };
  },
};

/** Returns the routes of the page: the page, the exchange of a link's token for access, and the start of a visit. */
export function pageRoutes(parts: PageParts, sessions: PageSessions): readonly Route[] {
  const { storage, lab, profile } = parts;
  const run = randomUUID();
  return [
    {
      path: "/",
      // Loaded on its first request, so that `pets` starts without it.
      GET: async () => (await import("./html.ts")).builtPage(),
      POST: (admitted) => admitVisitor(admitted, sessions),
    },
    {
      path: "/_store/session",
      GET: ({ request }) =>
        jsonResponse<"session">({
          store: storage.storeId(),
          baseUrl: `${originOf(request)}/v1`,
          data: storage.place,
          lab: lab !== undefined,
          profile: profile() ?? null,
          run,
        }),
    },
    {
      path: "/_store/page",
      GET: ({ request }) => jsonResponse<"page">({ url: pageLink(originOf(request), sessions) }),
    },
  ];
}

/** Returns a link to the page at `origin`, for one visit. */
export function pageLink(origin: string, sessions: PageSessions): string {
  return `${origin}/#${sessions.issueToken()}`;
}

function admitVisitor(admitted: Admitted, sessions: PageSessions): RouteResponse {
  const { token } = readObject(admitted, '{"token":"…"}');
  const secret = sessions.redeem(String(token));
  if (secret !== undefined) return jsonResponse<"access">({ secret });
  const message = "the link was used before; `pets store page` prints another";
  throw new ApiError(401, "unauthorized", message);
}

/** Returns the routes of animals and limits as the page shows them. */
export function viewRoutes(
  parts: Pick<PageParts, "storage" | "limits" | "clock">,
): readonly Route[] {
  const { storage } = parts;
  return [
    {
      path: "/_store/pets",
      GET: async ({ request: { query } }) => {
        const named = new URLSearchParams(query).get("status");
        const status = named === "none" ? null : asPetStatus(named);
        const counts = await storage.countByStatus();
        const pets = Buffer.from(await storage.list({ limit: pageSize.max, status })).toString();
        const head: Omit<StoreShapes["pets"], "pets"> = {
          total: totalOf(counts),
          counts: Object.fromEntries([...counts].map(([each = "none", count]) => [each, count])),
        };
        // The animals are JSON already, with int64 digit for digit.
        return jsonText(`${JSON.stringify(head).slice(0, -1)},"pets":${pets}}`);
      },
    },
    { path: "/_store/limits", GET: async () => jsonResponse<"limits">(await keyLimits(parts)) },
  ];
}

/** Returns each key with its plan, the usage of its windows, and its wait or ban; times are ms since the epoch. */
async function keyLimits({ storage, limits, clock }: Parameters<typeof viewRoutes>[0]) {
  const keys = (await storage.listKeys()).map(({ id, plan }) => {
    return { id, plan, quotas: parsePlan(plan)?.quotas ?? noQuotas };
  });
  const { now, usages } = await limits.usagesOf(keys, clock.moment());
  return {
    now,
    keys: keys.map(({ id, plan, quotas }, at) => {
      const { counts = [], refusal, bannedUntil = null } = usages[at] ?? {};
      const windows = quotas.map(({ limit, windowMs }, place) => ({
        used: counts[place]?.requests ?? 0,
        limit: limit === Infinity ? null : limit,
        resetAt: counts[place]?.end ?? 0,
        seconds: windowMs / 1000,
      }));
      return { id, plan, windows, waitUntil: refusal?.until ?? null, bannedUntil };
    }),
  };
}
