import { ApiError, badRequest } from "../api/errors.ts";
import { readBody } from "../http/body.ts";
import type { Exchange, PlannedFault } from "../http/exchange.ts";
import { isLocalRequest } from "../http/local-request.ts";
import type { Storage } from "../storage/storage.ts";
import { parseRequestedFault, type RequestedFault, requestedFaultSyntax } from "./fault-spec.ts";
import type { FaultPlan } from "./plan.ts";
import type { Script } from "./script/script.ts";
import { noTrouble, type Trouble } from "./trouble.ts";

/** Plans the trouble of requests below /v1. */
export type FaultPlanner = ReturnType<typeof faultPlanner>;

/** Makes a planner: a header decides before the script does, and the script before the shares of faults. */
export function faultPlanner(
  plan: FaultPlan,
  script: Script,
  keyPlace: ReturnType<typeof keyPlaces>,
) {
  return {
    /** Returns the delay of a response for which nothing else was planned, such as a 401. */
    latencyOf: (exchange: Exchange): PlannedFault | undefined => {
      const delayMs = plan.latencyMs(exchange);
      return delayMs === 0 ? undefined : { ...noTrouble, delayMs };
    },
    /**
     * Reads what the trouble of a request with this key depends on: not its body if the limits refuse it (`isOpen`).
     * Returns a function that decides, once it is known for good whether they do: then only a step is taken.
     */
    prepare: async (exchange: Exchange, keyId: string, isOpen: boolean) => {
      const { method, target, path } = exchange;
      const header = readFaultHeader(exchange);
      const forced = header !== undefined && "fault" in header ? header.fault : undefined;
      const isDrawn = isOpen && (forced !== undefined || (header === undefined && plan.isRandom()));
      const hasScript = header === undefined && script.isInForce();
      const key = isDrawn || hasScript ? await keyPlace(keyId) : undefined;
      // A script does not depend on the body, but whoever looks at its requests wants to see what was refused.
      const isRead = isOpen && (isDrawn || hasScript);
      const body = isRead ? await readBody(exchange).catch(() => undefined) : undefined;
      return (isAdmitted: boolean): Trouble => {
        const step = hasScript ? script.take({ method, path, key }) : undefined;
        if (isDrawn && isAdmitted && step === undefined)
          return plan.next({ method, target, body, key, header: forced });
        const trouble = step ?? troubleOf(header, isAdmitted);
        return { ...trouble, delayMs: trouble.delayMs + plan.latencyMs(exchange) };
      };
    },
  };
}

/** Returns the meaning of a request's X-Pets-Fault header, or the ApiError for an invalid one; undefined without one. */
function readFaultHeader(exchange: Exchange): RequestedFault | ApiError | undefined {
  const { "x-pets-fault": header } = exchange.incoming.headers;
  if (header === undefined || !isLocalRequest(exchange)) return undefined;
  const requested = parseRequestedFault(header.toString());
  return requested ?? badRequest(`X-Pets-Fault must be ${requestedFaultSyntax}`);
}

/** Returns the trouble that a header without a kind asks for; the limits come before an invalid one. */
function troubleOf(header: ReturnType<typeof readFaultHeader>, isAdmitted: boolean): Trouble {
  if (header instanceof ApiError)
    return isAdmitted ? { ...noTrouble, isKept: false, response: header } : noTrouble;
  if (header === undefined || "fault" in header) return noTrouble;
  return { ...noTrouble, name: `delay=${header.delayMs}`, delayMs: header.delayMs };
}

/** Returns a function that returns the number of a key among those in `storage`; a key keeps its number when others are removed. */
export function keyPlaces(storage: Pick<Storage, "listKeys">) {
  const places = new Map<string, number>();
  return async (keyId: string): Promise<number | undefined> => {
    if (!places.has(keyId))
      for (const { id } of await storage.listKeys())
        if (!places.has(id)) places.set(id, places.size);
    return places.get(keyId);
  };
}
