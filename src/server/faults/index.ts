import type { NewPet } from "../../core/pet.ts";
import { type RequestCounts, requestCounter } from "../inspect/request-counter.ts";
import type { ApiError } from "../routes/errors.ts";
import type { RequestedFault } from "./fault-spec.ts";
import { keyPlaces, planRequest } from "./planned-request.ts";
import { isLocalRequest, readFaultHeader, requestContext } from "./request.ts";
import { heldConnections, interceptResponse } from "./responses.ts";
import { faultyLimits } from "./limits.ts";
import { type ChangeFaults, faultPlan, type FaultSettings } from "./plan.ts";
import { faultyStorage } from "./storage.ts";
import type { UsageLedger, LocalLedger } from "../rate-limits/usage-ledger.ts";
import { isServiceRequest, type RequestHandler } from "../http/request-intake.ts";
import { notesOf } from "../http/request-notes.ts";
import type { OwnStorage, Storage } from "../storage/storage.ts";

/** What a fault injector needs. */
interface FaultInjectorParts {
  readonly storage: OwnStorage;
  readonly limits: LocalLedger;
  /** The store's time in ms since the epoch. */
  readonly now: () => number;
  readonly settings: FaultSettings;
  /** The animals that a reset restores. */
  readonly seed: () => Iterable<NewPet> | AsyncIterable<NewPet>;
}

/** Makes a store fail on demand (store.md, Faults on demand). */
export interface FaultInjector {
  /** The storage to serve instead of the original one; the same goes for `limits`. */
  readonly storage: Storage;
  readonly limits: UsageLedger;
  /** Wraps `handler` so that its replies get the planned faults. */
  wrap(handler: RequestHandler): RequestHandler;
  readonly counts: () => RequestCounts;
  /** Restores the seed, and resets limits, counts and draws. */
  reset(): Promise<void>;
  readonly change: ChangeFaults;
  /** Closes hanging connections, now and from now on. */
  dispose(): void;
}

/** Makes a fault injector for data that belongs to this process alone. */
export function makeFaultInjector({
  storage,
  limits,
  now,
  settings,
  seed,
}: FaultInjectorParts): FaultInjector {
  const plan = faultPlan(settings);
  const counter = requestCounter();
  const { store, reset } = faultyStorage(storage);
  const { book, clear } = faultyLimits(limits, counter, now);
  const { hang, release } = heldConnections();
  const luck = { plan, keyPlace: keyPlaces(storage) };
  const hooks = { countReply: counter.countReply, hang };
  return {
    storage: store,
    limits: book,
    wrap: (handler) => (incoming, outgoing) => {
      const notes = notesOf(incoming);
      if (!isServiceRequest(incoming) || notes.isPage) return handler(incoming, outgoing);
      const arrivedAt = now();
      const start = (header?: RequestedFault | ApiError): unknown => {
        const request = planRequest(luck, [incoming, outgoing], header, arrivedAt);
        interceptResponse(incoming, outgoing, request, hooks);
        return requestContext.run(request, () => handler(incoming, outgoing));
      };
      if (incoming.headers["x-pets-fault"] === undefined || !isLocalRequest(incoming))
        return start();
      return readFaultHeader(incoming, store).then(start);
    },
    counts: counter.counts,
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
