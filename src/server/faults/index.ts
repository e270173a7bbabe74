import type { IncomingMessage } from "node:http";
import type { NewPet } from "../../core/pet.ts";
import { type RequestCounts, requestCounter } from "./counters.ts";
import { applyFaultHeader, isLocalRequest, type PlannedFault, requestContext } from "./request.ts";
import { heldConnections, interceptResponse } from "./responses.ts";
import { faultyLimits } from "./limits.ts";
import { type ChangeFaults, faultPlan, type FaultSettings } from "./plan.ts";
import { faultyStorage } from "./storage.ts";
import type { UsageLedger, LocalLedger } from "../rate-limits/usage-ledger.ts";
import { isBelow, requestPath, type RequestHandler } from "../http/request-intake.ts";
import type { OwnStorage, Storage } from "../storage/storage.ts";

/** What a lab is made of. */
interface FaultInjectorParts {
  readonly storage: OwnStorage;
  readonly limits: LocalLedger;
  /** The store's time in ms since the epoch. */
  readonly now: () => number;
  readonly settings: FaultSettings;
  /** The animals that a reset goes back to. */
  readonly seed: () => Iterable<NewPet> | AsyncIterable<NewPet>;
}

/** What `GET /_store/state` answers. */
type StoreState = RequestCounts & { readonly pets: number };

/** A store that misbehaves on demand (store.md, Faults on demand). */
export interface FaultInjector {
  /** What the store is to work on, in place of what the lab was made of. */
  readonly storage: Storage;
  readonly limits: UsageLedger;
  /** Returns `handler`, whose replies meet the planned faults. */
  wrap(handler: RequestHandler): RequestHandler;
  state(): Promise<StoreState>;
  /** Goes back to the seed, and to the beginning of all limits, counts and chance. */
  reset(): Promise<void>;
  readonly change: ChangeFaults;
  /** Ends the connections that are left hanging, now and from now on. */
  dispose(): void;
}

/** Makes a lab of data that is this process's own. */
export function makeFaultInjector({
  storage,
  limits,
  now,
  settings,
  seed,
}: FaultInjectorParts): FaultInjector {
  const plan = faultPlan(settings);
  const counter = requestCounter();
  const { store, count, reset } = faultyStorage(storage);
  const { book, clear } = faultyLimits(limits, counter, now);
  const { hang, release } = heldConnections();
  const hooks = { countReply: counter.countReply, hang };
  return {
    storage: store,
    limits: book,
    wrap: (handler) => (incoming, outgoing) => {
      if (!isService(incoming)) return handler(incoming, outgoing);
      const arrivedAt = now();
      const start = (plannedFault: PlannedFault): unknown => {
        const request = { ...plannedFault, arrivedAt, injected: undefined, onSent: () => {} };
        interceptResponse(incoming, outgoing, request, hooks);
        return requestContext.run(request, () => handler(incoming, outgoing));
      };
      const planned = plan.next();
      if (incoming.headers["x-pets-fault"] === undefined || !isLocalRequest(incoming))
        return start(planned);
      return applyFaultHeader(planned, incoming, store).then(start);
    },
    state: async () => ({ pets: await count(), ...counter.counts() }),
    reset: () =>
      reset(seed(), () => {
        clear();
        counter.clear();
        plan.restart();
      }),
    change: plan.change,
    dispose: release,
  };
}

/** Whether a request is for the service itself: only those meet faults. */
function isService({ url = "" }: IncomingMessage): boolean {
  return isBelow(requestPath(url), "/v1");
}
