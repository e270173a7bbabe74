import { type AccessLogEntry, withAccessLog } from "./http/access-log.ts";
import type { Listening } from "./http/server.ts";
import { createService, type ServiceParts } from "./routes/routes.ts";

/** What the server reports while it runs. */
export interface ServerEvents extends Pick<ServiceParts, "onFault"> {
  /** Called after each request. */
  readonly onRequest?: (entry: AccessLogEntry) => void;
}

/** Serves `parts` on a port that is listened on; with faults, storage and limits are the injector's. */
export function attachService(
  listening: Listening,
  parts: Omit<ServiceParts, "onFault">,
  { onRequest, onFault }: ServerEvents,
): void {
  const service = createService({ ...parts, onFault });
  const handler = parts.faults?.wrap(service) ?? service;
  listening.serve(
    onRequest === undefined ? handler : withAccessLog(onRequest, handler),
    (address, moment) => parts.limits.countAnonymous(address, moment),
  );
}
