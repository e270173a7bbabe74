import { ApiError } from "../api/errors.ts";
import { readBody } from "../http/body.ts";
import type { Exchange, PlannedFault } from "../http/exchange.ts";
import type { Storage } from "../storage/storage.ts";
import { readFaultHeader } from "./fault-header.ts";
import type { RequestedFault } from "./fault-spec.ts";
import type { FaultPlan } from "./plan.ts";
import type { Script } from "./script/script.ts";
import { noTrouble, type Trouble, troubleOf } from "./trouble.ts";

/** Plans the trouble of requests below /v1. */
export interface FaultPlanner {
  /**
   * Reads what the trouble of a request with this key depends on; nothing if the limits refuse it (`isOpen`).
   * Returns a function that decides.
   */
  prepare(exchange: Exchange, keyId: string, isOpen: boolean): Promise<() => Trouble>;
  /** Returns the delay of a response for which nothing else was planned, such as a 401. */
  readonly latencyOf: (exchange: Exchange) => PlannedFault | undefined;
}

/** What the trouble of requests depends on. */
interface PlannerParts {
  readonly plan: FaultPlan;
  readonly script: Script;
  /** Returns the number of a key among the store's keys. */
  readonly keyPlace: (keyId: string) => Promise<number | undefined>;
}

/** Makes a planner: a header decides before the script does, and the script before the shares of faults. */
export function faultPlanner({ plan, script, keyPlace }: PlannerParts): FaultPlanner {
  const latencyMs = ({ method, target }: Exchange): number => {
    if (!plan.isRandom()) return plan.fixedDelay();
    return plan.next({ method, target, body: undefined, key: undefined, header: "" }).delayMs;
  };
  const latencyOf = (exchange: Exchange): PlannedFault | undefined => {
    const delayMs = latencyMs(exchange);
    return delayMs === 0 ? undefined : { ...noTrouble, delayMs };
  };
  return {
    latencyOf,
    prepare: async (exchange, keyId, isOpen) => {
      const { method, target, path } = exchange;
      const header = readFaultHeader(exchange);
      const plain = (): Trouble => withHeader(header, latencyMs(exchange));
      if (!isOpen) {
        if (header !== undefined && "delayMs" in header) exchange.fault = plain();
        return () => noTrouble;
      }
      const forced = header !== undefined && "fault" in header ? header.fault : undefined;
      const isDrawn = forced !== undefined || (header === undefined && plan.isRandom());
      const isPlanned = isDrawn || script.isInForce();
      const key = isPlanned ? await keyPlace(keyId) : undefined;
      // A script does not depend on the body, but whoever looks at its requests wants to see what was refused.
      const body = isPlanned ? await readBody(exchange).catch(() => undefined) : undefined;
      return () => {
        const step = header === undefined ? script.take({ method, path, key }) : undefined;
        if (step !== undefined) return { ...step, delayMs: step.delayMs + latencyMs(exchange) };
        if (!isDrawn) return plain();
        const { fault, beforeCommit, ...drawn } = plan.next({
          method,
          target,
          body,
          key,
          header: forced,
        });
        const kind = forced ?? fault;
        if (kind === undefined) return { ...noTrouble, delayMs: drawn.delayMs };
        return troubleOf(kind, { ...drawn, isKept: !beforeCommit });
      };
    },
  };
}

/** Returns the trouble that a header without a kind asks for. */
function withHeader(header: RequestedFault | ApiError | undefined, latencyMs: number): Trouble {
  if (header instanceof ApiError)
    return { ...noTrouble, delayMs: latencyMs, isKept: false, response: header };
  if (header === undefined || !("delayMs" in header)) return { ...noTrouble, delayMs: latencyMs };
  return {
    ...noTrouble,
    name: `delay=${header.delayMs}`,
    delayMs: header.delayMs + latencyMs,
  };
}

/** Returns a function that numbers the keys in `storage`; a key keeps its number when others are removed. */
export function keyPlaces(storage: Pick<Storage, "listKeys">): PlannerParts["keyPlace"] {
  const places = new Map<string, number>();
  return async (keyId) => {
    if (!places.has(keyId))
      for (const { id } of await storage.listKeys())
        if (!places.has(id)) places.set(id, places.size);
    return places.get(keyId);
  };
}
