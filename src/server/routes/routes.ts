import { faultsArea, faultRoutes } from "../faults/routes.ts";
import type { FaultInjector } from "../faults/index.ts";
import type { RequestHandler } from "../http/request-intake.ts";
import { openApi } from "../openapi/document.ts";
import { type AuthParts, authorize } from "./auth.ts";
import { healthCheck } from "./health.ts";
import { parsePetId, petHandlers } from "./pets.ts";
import { type Area, createRouter, type Route } from "./router.ts";

/** What the routes are made of. */
export interface ServiceParts extends AuthParts {
  readonly faults?: FaultInjector;
  /** Called with an error that nobody expected; the client gets a 500 or 503. */
  readonly onFault: (error: unknown) => void;
}

/** Returns the service (api.md; store.md, Answers): the one way in for every request. */
export function createService(parts: ServiceParts): RequestHandler {
  const { faults } = parts;
  return createRouter({
    ...parts,
    areas: [serviceArea(parts), ...(faults ? [faultsArea(faults)] : [])],
    routes: [...serviceRoutes(parts), ...(faults ? faultRoutes(faults) : [])],
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
