import { openApi } from "../openapi/document.ts";
import type { Storage } from "../storage/storage.ts";
import { healthCheck } from "./health.ts";
import { parsePetId, petHandlers } from "./pets.ts";
import type { Route } from "./router.ts";

/** Returns the routes of the service. `now` is the store's time in ms since the epoch. */
export function serviceRoutes(storage: Storage, now: () => number): readonly Route[] {
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
