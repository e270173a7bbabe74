import { completeResponses, type RouteResponse } from "./api/response.ts";
import type { StoreShapes } from "./api/store-shapes.ts";
import type { StoreClock } from "./clock.ts";
import type { Arrived, Ended, EndListener } from "./http/exchange.ts";
import { originOf } from "./http/local-request.ts";
import type { Listening } from "./http/server.ts";
import { startJudging } from "./judge/judge.ts";
import { labRoutes, type LabSettings, makeLab } from "./lab/lab.ts";
import { pageArea, pageRoutes, viewRoutes } from "./page/routes.ts";
import { makeSessions } from "./page/sessions.ts";
import { maskOf, RequestLog } from "./request-log/request-log.ts";
import { requestLogRoutes } from "./request-log/routes.ts";
import { withCors } from "./routes/cors.ts";
import { serviceArea } from "./routes/decision.ts";
import { createRouter, toApiError } from "./routes/router.ts";
import { serviceRoutes } from "./routes/service-routes.ts";
import { controlRoutes, jsonResponse, storeArea } from "./routes/store-area.ts";
import { type StoreData, totalOf } from "./storage/storage.ts";

export interface StoreOptions {
  readonly clock: StoreClock;
  /** Allows changes from outside; only for data that belongs to this process alone. */
  readonly lab?: LabSettings | undefined;
  readonly hasPage?: boolean | undefined;
  /** Whose pages may call the service. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Returns the name of the profile in which the store is saved, if it is. */
  readonly profile?: (() => string | undefined) | undefined;
  /** Stops the store, if it runs in the background, and returns which process it is. */
  readonly stop?: (() => StoreShapes["stop"]) | undefined;
  /** Whether clients are judged, for which requests must be remembered. */
  readonly isJudged?: boolean | undefined;
  /** Called with an unexpected error; the client gets a 500 or 503. */
  readonly onError: (error: unknown) => void;
  /** Called with each request that has ended; its target is untrusted text, without any key. */
  readonly onRequest?: ((ended: Ended, target: string) => void) | undefined;
  /** Called with the status for what is not valid HTTP, and the address that it came from. */
  readonly onMalformed?: ((status: number, remoteAddress: string) => void) | undefined;
  readonly listener?: EndListener | undefined;
}

export type Store = ReturnType<typeof serveStore>;

/** Serves `data` on an open port. */
export function serveStore(listening: Listening, data: StoreData, options: StoreOptions) {
  const { clock, hasPage = false, profile = () => undefined, isJudged = false } = options;
  const { storage, limits } = data;
  const { now } = clock;
  const { baseUrl, isWildcard } = listening;
  const serverUrl = (request: Arrived): string =>
    isWildcard ? `${originOf(request)}/v1` : baseUrl;
  const judge = startJudging(isJudged);
  // Higher than in any earlier run, as no run handles a thousand requests per ms.
  const log = new RequestLog(storage.storeId, Date.now() * 1_000);
  const lab = options.lab && data.local && makeLab(data.local, clock, options.lab);
  const sessions = hasPage ? makeSessions(storage.pageSecret) : undefined;
  const complete = completeResponses(now, storage.storeId);
  const failed = (error: unknown) => toApiError(error, options.onError);
  const parts = { storage, limits, clock, waits: judge.waits, lab, profile, failed };
  const state = async (): Promise<RouteResponse> =>
    jsonResponse<"state">({ pets: totalOf(await storage.countByStatus()), ...judge.counts() });
  const afterReset = (): Promise<RouteResponse> => {
    judge.reset();
    log.clear();
    return state();
  };
  const check = isJudged ? () => judge.verdict("reset") : undefined;
  const router = createRouter({
    areas: [serviceArea(parts), storeArea(storage), ...(sessions ? [pageArea] : [])],
    routes: [
      ...serviceRoutes(storage, serverUrl),
      { path: "/_store/state", GET: state },
      ...requestLogRoutes(log),
      ...viewRoutes(parts),
      ...labRoutes(lab, now, (event, value) => log.announce(event, value), afterReset),
      ...(sessions ? pageRoutes(parts, sessions) : []),
      ...controlRoutes(options.stop, check),
    ],
    complete,
    isPage: (request) => sessions?.isPageRequest(request) === true,
    failed,
  });
  const completeAnonymous = (response: RouteResponse, address: string) =>
    complete(response, limits.countAnonymous(address, now()));
  listening.serve({
    handle: withCors(options.corsOrigins ?? [], router, completeAnonymous),
    completeMalformed: (response, address) => {
      judge.takeMalformed(response.status);
      options.onMalformed?.(response.status, address);
      return completeAnonymous(response, address);
    },
    onEnd: (ended) => {
      judge.takeEnded(ended);
      log.take(ended);
      options.onRequest?.(ended, maskOf(ended)(ended.request.target));
      options.listener?.(ended);
    },
  });
  return {
    port: listening.port,
    baseUrl,
    data,
    /** Undefined if the store was started without one. */
    lab,
    /** Undefined if there is no page. */
    sessions,
    /** Judges the clients since the last reset, or since the start. */
    verdict: judge.verdict,
    /** Ends the requests in flight, after `graceMs` at most; the data stays open. */
    stop: listening.stop,
  };
}
