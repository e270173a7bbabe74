import type { IncomingMessage } from "node:http";
import type { NewPet } from "../api/types.ts";
import { type LabCounts, labCounter } from "./lab-counts.ts";
import { isFromHere } from "./lab-door.ts";
import { hangingConnections } from "./lab-hanging.ts";
import { withHeader } from "./lab-header.ts";
import { labLimits } from "./lab-limits.ts";
import { type LabChange, labPlan, type LabSettings } from "./lab-plan.ts";
import { takeOver } from "./lab-replies.ts";
import { labRequests, type Trouble } from "./lab-request.ts";
import { labStorage } from "./lab-storage.ts";
import type { LimitBook, OwnLimitBook } from "./limit-book.ts";
import type { Answer } from "./server.ts";
import type { OwnStorage, Storage } from "./storage.ts";

/** What a lab is made of. */
interface LabParts {
  readonly storage: OwnStorage;
  readonly limits: OwnLimitBook;
  /** The store's time in ms since the epoch. */
  readonly now: () => number;
  readonly settings: LabSettings;
  /** The animals that a reset goes back to. */
  readonly seed: () => Iterable<NewPet> | AsyncIterable<NewPet>;
}

/** What `GET /_store/state` answers. */
type LabState = LabCounts & { readonly pets: number };

/** A store that misbehaves on demand (store.md, Faults on demand). */
export interface Lab {
  /** What the store is to work on, in place of what the lab was made of. */
  readonly storage: Storage;
  readonly limits: LimitBook;
  /** `answer`, in trouble. */
  around(answer: Answer): Answer;
  state(): Promise<LabState>;
  /** Goes back to the seed, and to the beginning of all limits, counts and chance. */
  reset(): Promise<void>;
  readonly change: LabChange;
  /** Ends the connections that are left hanging, now and from now on. */
  release(): void;
}

/** Makes a lab of data that is this process's own. */
export function makeLab({ storage, limits, now, settings, seed }: LabParts): Lab {
  const plan = labPlan(settings);
  const counter = labCounter();
  const { store, count, reset } = labStorage(storage);
  const { book, clear } = labLimits(limits, counter, now);
  const { hang, release } = hangingConnections();
  const keeper = { countReply: counter.countReply, hang };
  return {
    storage: store,
    limits: book,
    around: (answer) => (incoming, outgoing) => {
      if (!isService(incoming)) return answer(incoming, outgoing);
      const arrivedAt = now();
      const begin = (trouble: Trouble): unknown => {
        const request = { ...trouble, arrivedAt, struck: undefined, onSent: () => {} };
        takeOver(incoming, outgoing, request, keeper);
        return labRequests.run(request, () => answer(incoming, outgoing));
      };
      const planned = plan.next();
      if (incoming.headers["x-pets-fault"] === undefined || !isFromHere(incoming))
        return begin(planned);
      return withHeader(planned, incoming, store).then(begin);
    },
    state: async () => ({ pets: await count(), ...counter.counts() }),
    reset: () =>
      reset(seed(), () => {
        clear();
        counter.clear();
        plan.restart();
      }),
    change: plan.change,
    release,
  };
}

/** What nearly all requests ask for, without dots that would lead out of it. */
const plainService = /^\/v1\/[\w/]*(?:\?|$)/;

/** Whether a request is for the service itself, below /v1. */
function isService({ url = "" }: IncomingMessage): boolean {
  if (plainService.test(url)) return true;
  const path = URL.parse(`http://localhost${url}`)?.pathname ?? "";
  return path === "/v1" || path.startsWith("/v1/");
}
