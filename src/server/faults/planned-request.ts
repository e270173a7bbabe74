import type { IncomingMessage, ServerResponse } from "node:http";
import { readBodyAhead } from "../http/body.ts";
import { notesOf } from "../http/request-notes.ts";
import { ApiError } from "../routes/errors.ts";
import type { Storage } from "../storage/storage.ts";
import type { RequestedFault } from "./fault-spec.ts";
import type { FaultPlan } from "./plan.ts";
import type { FaultedRequest } from "./request.ts";

/** What drawing the faults of requests needs. */
export interface LuckParts {
  readonly plan: FaultPlan;
  /** Returns the number of a key among the store's keys. */
  readonly keyPlace: (keyId: string) => Promise<number | undefined>;
}

/**
 * Returns the state of a request that has just arrived, at `arrivedAt`. `header` is the meaning of its
 * X-Pets-Fault. Its fault is drawn after the limits have admitted it, because only then is it known that
 * it gets no real 429, and which key it has.
 */
export function planRequest(
  { plan, keyPlace }: LuckParts,
  [incoming, outgoing]: readonly [IncomingMessage, ServerResponse],
  header: RequestedFault | ApiError | undefined,
  arrivedAt: number,
): FaultedRequest {
  const { method = "", url: target = "" } = incoming;
  const delayMs = requestedDelay(header);
  const forced = header !== undefined && "fault" in header ? header.fault : undefined;
  const isDrawn = forced !== undefined || (header === undefined && plan.isRandom());
  const request: FaultedRequest = {
    arrivedAt,
    notes: notesOf(incoming),
    fault: undefined,
    beforeCommit: false,
    cut: 0,
    delayMs: delayMs + arrivalDelay(plan, method, target),
    requestedDelay: header !== undefined && "delayMs" in header ? `delay=${delayMs}` : undefined,
    headerError: header instanceof ApiError ? header : undefined,
    injected: undefined,
    onSent: () => {},
    prepareLuck: async (keyId) => {
      if (!isDrawn) return () => {};
      const body = await readBodyAhead(incoming, outgoing).catch(() => undefined);
      const identity = { method, target, body, key: await keyPlace(keyId), header: forced };
      return () => {
        Object.assign(request, plan.next(identity), forced !== undefined && { fault: forced });
      };
    },
  };
  return request;
}

function requestedDelay(header: RequestedFault | ApiError | undefined): number {
  return header !== undefined && "delayMs" in header ? header.delayMs : 0;
}

/** Returns the delay, in ms, of a reply for which nothing else is drawn, such as a 401. */
function arrivalDelay(plan: FaultPlan, method: string, target: string): number {
  if (!plan.isRandom()) return plan.fixedDelay();
  return plan.next({ method, target, body: undefined, key: undefined, header: "" }).delayMs;
}

/** Returns `keyPlace` for the keys in `storage`; a key keeps its number when others are removed. */
export function keyPlaces(storage: Pick<Storage, "listKeys">): LuckParts["keyPlace"] {
  const places = new Map<string, number>();
  return async (keyId) => {
    if (!places.has(keyId))
      for (const { id } of await storage.listKeys())
        if (!places.has(id)) places.set(id, places.size);
    return places.get(keyId);
  };
}
