import type { RequestHandler } from "../http/request-intake.ts";
import { type InspectedParts, type Inspector } from "../inspect/inspector.ts";
import { inspectArea, inspectRoutes } from "../inspect/routes.ts";
import { openApi } from "../openapi/document.ts";
import { pageArea, pageRoutes } from "../page/routes.ts";
import { type AuthParts, authorize } from "./auth.ts";
import { healthCheck } from "./health.ts";
import { parsePetId, petHandlers } from "./pets.ts";
import { type Area, createRouter, type Route } from "./router.ts";

/** What the routes are made of. */
export interface ServiceParts extends InspectedParts {
  /** Called with an unexpected error; the client gets a 500 or 503. */
  readonly onFault: (error: unknown) => void;
}

/** Returns the service (api.md; store.md, Answers): the single entry point of every request. */
export function createService(parts: ServiceParts, inspector: Inspector): RequestHandler {
  const { storage, now, onFault } = parts;
  const { sessions } = inspector;
  return createRouter({
    areas: [serviceArea(parts), inspectArea(parts), ...(sessions ? [pageArea] : [])],
    routes: [
      ...serviceRoutes(parts),
      ...inspectRoutes(parts, inspector),
      ...(sessions ? pageRoutes(parts, sessions) : []),
    ],
    now,
    storeId: storage.storeId,
    onFault,
  });
}

/** Below /v1 a valid key is required, and each request counts towards its limits. */
function serviceArea(parts: AuthParts): Area {
  return { prefix: "/v1", admit: authorize(parts) };
}

function serviceRoutes({ storage, now }: AuthParts): readonly Route[] {
  const { list, add, get } = petHandlers(storage, now);
  const checkHealth = healthCheck(storage);
  const health = async () => {
    await checkHealth();
    return { status: 200, body: '{"status":"ok"}' };
  };
  return [
    { path: "/v1/pets", GET: list, POST: add },
    { path: "/v1/pets/{petId}", GET: get, checkParameter: parsePetId },
    { path: "/healthz", GET: health },
    { path: "/openapi.json", GET: () => ({ status: 200, body: openApi }) },
  ];
}
