import type { IncomingMessage } from "node:http";
import type { NewPet } from "../../core/pet.ts";
import { type LabCounts, labCounter } from "./counters.ts";
import { applyFaultHeader, isLocalRequest, type PlannedFault, requestContext } from "./request.ts";
import { heldConnections, interceptResponse } from "./responses.ts";
import { labLimits } from "./limits.ts";
import { type LabChange, labPlan, type LabSettings } from "./plan.ts";
import { labStorage } from "./storage.ts";
import type { UsageLedger, LocalLedger } from "../rate-limits/usage-ledger.ts";
import { isBelow, requestPath, type RequestHandler } from "../http/request-intake.ts";
import type { OwnStorage, Storage } from "../storage/storage.ts";

/** What a lab is made of. */
interface LabParts {
  readonly storage: OwnStorage;
  readonly limits: LocalLedger;
  /** The store's time in ms since the epoch. */
  readonly now: () => number;
  readonly settings: LabSettings;
  /** The animals that a reset goes back to. */
  readonly seed: () => Iterable<NewPet> | AsyncIterable<NewPet>;
}

/** What `GET /_store/state` answers. */
type LabState = LabCounts & { readonly pets: number };

/** A store that misbehaves on demand (store.md, Faults on demand). */
export interface FaultInjector {
  /** What the store is to work on, in place of what the lab was made of. */
  readonly storage: Storage;
  readonly limits: UsageLedger;
  /** Returns `handler`, whose replies meet the planned faults. */
  wrap(handler: RequestHandler): RequestHandler;
  state(): Promise<LabState>;
  /** Goes back to the seed, and to the beginning of all limits, counts and chance. */
  reset(): Promise<void>;
  readonly change: LabChange;
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
}: LabParts): FaultInjector {
  const plan = labPlan(settings);
  const counter = labCounter();
  const { store, count, reset } = labStorage(storage);
  const { book, clear } = labLimits(limits, counter, now);
  const { hang, release } = heldConnections();
  const keeper = { countReply: counter.countReply, hang };
  return {
    storage: store,
    limits: book,
    wrap: (handler) => (incoming, outgoing) => {
      if (!isService(incoming)) return handler(incoming, outgoing);
      const arrivedAt = now();
      const begin = (trouble: PlannedFault): unknown => {
        const request = { ...trouble, arrivedAt, injected: undefined, onSent: () => {} };
        interceptResponse(incoming, outgoing, request, keeper);
        return requestContext.run(request, () => handler(incoming, outgoing));
      };
      const planned = plan.next();
      if (incoming.headers["x-pets-fault"] === undefined || !isLocalRequest(incoming))
        return begin(planned);
      return applyFaultHeader(planned, incoming, store).then(begin);
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
