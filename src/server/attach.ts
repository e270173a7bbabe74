import { type ApiResponse, completeResponses, type RouteResponse } from "./api/response.ts";
import type { StoreClock } from "./clock.ts";
import type { EndedExchange, Exchange, ExchangeListener } from "./http/exchange.ts";
import type { Listening } from "./http/server.ts";
import { type Lab, type LabSettings, makeLab } from "./lab/lab.ts";
import { labRoutes } from "./lab/routes.ts";
import { pageArea, type PageParts, pageRoutes, viewRoutes } from "./page/routes.ts";
import { makeSessions, type PageSessions } from "./page/sessions.ts";
import { makeMonitor, type Monitor } from "./request-log/monitor.ts";
import { describeState, requestLogRoutes } from "./request-log/routes.ts";
import { serviceArea } from "./routes/auth.ts";
import { withCors } from "./routes/cors.ts";
import { createRouter } from "./routes/router.ts";
import { serviceRoutes } from "./routes/service-routes.ts";
import { controlRoutes, storeArea, type StoreControl } from "./routes/store-area.ts";
import { requestMasks } from "./secrets.ts";
import type { StoreData } from "./storage/storage.ts";

/** What a store is made of. */
export interface StoreParts {
  readonly data: StoreData;
  readonly clock: StoreClock;
  /** Allows changes from outside; only for data that belongs to this process alone. */
  readonly lab?: LabSettings | undefined;
  /** The keys that this process has issued. */
  readonly issuedKeys?: readonly string[];
  readonly hasPage?: boolean;
  readonly control?: StoreControl | undefined;
  /** The origins whose pages may call the service. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Returns the name of the profile in which the store is saved, if it is. */
  readonly profile?: (() => string | undefined) | undefined;
}

/** Who is told of what happens in a store. */
export interface StoreEvents {
  /** Called with an unexpected error; the client gets a 500 or 503. */
  readonly onFault: (error: unknown) => void;
  /** Called after each request; its target is untrusted text, without any key. */
  readonly onRequest?: (exchange: EndedExchange, target: string) => void;
  /** Are told of each exchange that has ended. */
  readonly listeners?: readonly ExchangeListener[];
  /** Called when the store was reset, before requests go on. */
  readonly onReset?: () => void;
}

/** A store that is served. */
export interface ServedStore {
  readonly monitor: Monitor;
  /** Undefined if the store was started without one. */
  readonly lab: Lab | undefined;
  /** Undefined if there is no page. */
  readonly sessions: PageSessions | undefined;
}

/** Serves a store on an open port. */
export function attachService(
  listening: Listening,
  parts: StoreParts,
  events: StoreEvents,
): ServedStore {
  const { data, clock, issuedKeys = [], hasPage = false, profile = () => undefined } = parts;
  const { storeId, pageSecret } = data.storage;
  const lab = parts.lab && data.local && makeLab(data.local, clock, parts.lab);
  const masks = requestMasks(issuedKeys);
  const monitor = makeMonitor(storeId, masks);
  const sessions = hasPage ? makeSessions(pageSecret) : undefined;
  const { now } = clock;
  const { limits } = data;
  const complete = completeResponses(now, storeId);
  const shown = { storage: data.storage, limits, now, lab, profile };
  const route = withCors(
    parts.corsOrigins ?? [],
    createRouter(
      [serviceArea(shown), storeArea(shown.storage), ...(sessions ? [pageArea] : [])],
      [
        ...serviceRoutes(shown.storage, now),
        ...storeRoutes(shown, { monitor, lab, sessions }, events),
        ...controlRoutes(parts.control ?? {}),
      ],
      complete,
      events.onFault,
    ),
  );
  const routeWithFaults = async (its: Lab, exchange: Exchange): Promise<ApiResponse> => {
    const response = await route(exchange);
    if (exchange.isService && !exchange.isPage) exchange.fault ??= its.latencyOf(exchange);
    if (exchange.fault?.wire === "hang") monitor.countHanging(exchange);
    return response;
  };
  const { onRequest, listeners = [] } = events;
  const log = (exchange: EndedExchange): void =>
    onRequest?.(exchange, masks.maskOf(exchange.incoming.rawHeaders)(exchange.target));
  listening.serve({
    handle: (exchange) => {
      if (sessions !== undefined) exchange.isPage = sessions.isPageRequest(exchange);
      return lab === undefined ? route(exchange) : routeWithFaults(lab, exchange);
    },
    completeMalformed: (response: RouteResponse, address) =>
      complete(response, limits.countAnonymous(address, now())),
    listeners: [monitor.take, ...(onRequest === undefined ? [] : [log]), ...listeners],
  });
  return { monitor, lab, sessions };
}

function storeRoutes(
  shown: PageParts,
  { monitor, lab, sessions }: ServedStore,
  { onReset }: StoreEvents,
) {
  return [
    ...requestLogRoutes(shown.storage, monitor),
    ...viewRoutes(shown),
    ...labRoutes({
      now: shown.now,
      lab,
      announce: (event, value) => monitor.log.announce(event, value),
      onReset: () => {
        monitor.clear();
        onReset?.();
      },
      describeState: () => describeState(shown.storage, monitor),
    }),
    ...(sessions === undefined ? [] : pageRoutes(shown, sessions)),
  ];
}
