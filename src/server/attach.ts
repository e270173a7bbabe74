import { type AccessLogEntry, withAccessLog } from "./http/access-log.ts";
import type { RequestHandler } from "./http/request-intake.ts";
import type { Listening } from "./http/server.ts";
import { type Inspector, makeInspector } from "./inspect/inspector.ts";
import { requestMasks } from "./secrets.ts";
import { createService, type ServiceParts } from "./routes/routes.ts";

/** What the server reports while it runs. */
export interface ServerEvents extends Pick<ServiceParts, "onFault"> {
  /** Called after each request. */
  readonly onRequest?: (entry: AccessLogEntry) => void;
  /** Sees each request before faults and routes do. */
  readonly observe?: ((handler: RequestHandler) => RequestHandler) | undefined;
}

/**
 * Serves `parts` on an open port; with faults, storage and limits are the injector's. Returns the
 * inspector of its requests.
 */
export function attachService(
  listening: Listening,
  parts: Omit<ServiceParts, "onFault">,
  { onRequest, onFault, observe = (handler) => handler }: ServerEvents,
): Inspector {
  const { storage, limits, faults } = parts;
  const inspector = makeInspector(parts);
  const service = createService({ ...parts, onFault }, inspector);
  const handler = inspector.wrap(observe(faults?.wrap(service) ?? service));
  listening.serve(
    onRequest === undefined
      ? handler
      : withAccessLog(onRequest, requestMasks(parts.issuedKeys ?? []), handler),
    {
      countAnonymous: (address, moment) => limits.countAnonymous(address, moment),
      storeId: storage.storeId,
    },
  );
  return inspector;
}
