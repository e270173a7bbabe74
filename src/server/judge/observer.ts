import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isSystemError } from "../../core/errors.ts";
import type { NewPet } from "../../core/pet.ts";
import { isServiceRequest, type RequestHandler } from "../http/request-intake.ts";
import { notesOf, type RequestNotes } from "../http/request-notes.ts";
import { bearerToken } from "../keys.ts";
import { petJson } from "../routes/pet-json.ts";
import type { OwnStorage, Storage, StoreData } from "../storage/storage.ts";
import type { AddedPet, AnnouncedWait, EndedRequest } from "./facts.ts";
import type { Judge } from "./judge.ts";

/** What is observed about a request while it is handled. */
interface ObservedRequest {
  added: AddedPet | undefined;
  /** When the response, or a part of it, was sent. */
  startedAt: number | undefined;
  /** The same moment by the store's clock. */
  startedAtStore: number;
  /** Whether the system has accepted the complete response. */
  isFinished: boolean;
  /** The Retry-After header. */
  retryAfter: string | undefined;
}

/** The time in a store. */
export interface ObserverClocks {
  /** Returns ms by a clock that never goes back. */
  readonly elapsed: () => number;
  /** Returns the store's time in ms since the epoch. */
  readonly now: () => number;
}

/** Reports what happens in a store to a judge. */
interface StoreObserver {
  /** Wraps `data` to report every animal that is stored. */
  readonly observeData: (data: StoreData) => StoreData;
  /** Wraps `handler` to report every request below /v1, except those of the page. */
  readonly observeRequests: (handler: RequestHandler) => RequestHandler;
}

/** Returns an observer that reports to `judge`. */
export function observeStore(judge: Judge, clocks: ObserverClocks): StoreObserver {
  const current = new AsyncLocalStorage<ObservedRequest>();
  const connections = trackConnections(clocks);
  const observeAdds = <T extends Storage>(storage: T): T => ({
    ...storage,
    add: async (pet: NewPet) => {
      const json = await storage.add(pet);
      const request = current.getStore();
      if (request !== undefined) request.added = addedPet(json, pet);
      return json;
    },
  });
  const observeResets = (storage: OwnStorage): OwnStorage => ({
    ...observeAdds(storage),
    replaceAll: async (pets) => {
      await storage.replaceAll(pets);
      judge.reset();
    },
  });
  return {
    observeData: (data) => ({
      ...data,
      storage: observeAdds(data.storage),
      ...(data.local && { local: { ...data.local, storage: observeResets(data.local.storage) } }),
    }),
    observeRequests: (handler) => (incoming, outgoing) => {
      if (!isServiceRequest(incoming) || notesOf(incoming).isPage)
        return handler(incoming, outgoing);
      const connection = connections.numberOf(incoming.socket);
      const arrival = { ...describeArrival(incoming, clocks), connection };
      const request = observeReply(outgoing, clocks);
      const closed = new Promise<number>((resolve) => {
        outgoing.once("close", () => resolve(clocks.elapsed()));
      });
      const handled = (async () => current.run(request, () => handler(incoming, outgoing)))();
      const report = async (): Promise<void> => {
        await Promise.allSettled([closed, handled]);
        const facts = outcomeOf(notesOf(incoming), outgoing.statusCode, request, await closed);
        const ended = { ...arrival, ...facts };
        connections.setLatest(incoming.socket, ended);
        judge.take(ended);
      };
      void report();
      return handled;
    },
  };
}

function describeArrival(
  { method = "", url: target = "", headers }: IncomingMessage,
  { elapsed, now }: ObserverClocks,
) {
  const key = bearerToken(headers.authorization ?? "") ?? "";
  return { key, method, target, arrivedAt: elapsed(), storeTime: now() };
}

/**
 * Numbers connections. If a connection is reset after a response was sent on it, its client did not read that
 * response: this is noted in the facts of the latest request.
 */
function trackConnections({ elapsed }: ObserverClocks) {
  const known = new WeakMap<Socket, { readonly number: number; latest?: EndedRequest }>();
  let count = 0;
  const entryOf = (socket: Socket) => {
    const entry = known.get(socket) ?? { number: (count += 1) };
    if (known.has(socket)) return entry;
    known.set(socket, entry);
    socket.on("error", (error) => {
      if (isSystemError(error, "ECONNRESET") && entry.latest?.isComplete === true)
        Object.assign(entry.latest, { isComplete: false, hasLeft: true, endedAt: elapsed() });
    });
    return entry;
  };
  return {
    numberOf: (socket: Socket): number => {
      const entry = entryOf(socket);
      delete entry.latest;
      return entry.number;
    },
    setLatest: (socket: Socket, request: EndedRequest): void => {
      entryOf(socket).latest = request;
    },
  };
}

/** Records what `outgoing` sends; responses are written as a head and one `end` with the body. */
function observeReply(outgoing: ServerResponse, { elapsed, now }: ObserverClocks): ObservedRequest {
  const request: ObservedRequest = {
    added: undefined,
    startedAt: undefined,
    startedAtStore: 0,
    isFinished: false,
    retryAfter: undefined,
  };
  outgoing.once("finish", () => {
    request.isFinished = true;
  });
  const end = outgoing.end.bind(outgoing);
  const writeHead = outgoing.writeHead.bind(outgoing);
  const flushHeaders = outgoing.flushHeaders.bind(outgoing);
  const started = (): void => {
    request.startedAt = elapsed();
    request.startedAtStore = now();
  };
  Object.assign(outgoing, {
    writeHead: (status: number, headers: Readonly<Record<string, string>>) => {
      request.retryAfter = headers["Retry-After"];
      return writeHead(status, headers);
    },
    end: (body?: string | Uint8Array) => {
      if (!outgoing.destroyed) started();
      return end(body);
    },
    flushHeaders: () => {
      started();
      flushHeaders();
    },
  });
  return request;
}

/** The faults with which the store itself ends a connection. */
const endedByStore = new Set<string | undefined>(["reset", "truncate"]);

function outcomeOf(
  notes: RequestNotes,
  statusCode: number,
  request: ObservedRequest,
  closedAt: number,
) {
  const { added, startedAt, isFinished } = request;
  const status = startedAt === undefined ? undefined : statusCode;
  const hasLeft = !isFinished && !endedByStore.has(notes.fault);
  return {
    endedAt: hasLeft ? closedAt : (startedAt ?? closedAt),
    status,
    isComplete: isFinished,
    hasLeft,
    wait: status === 429 ? announcedWait(notes, request) : undefined,
    added,
  };
}

/** Returns the wait that a 429 announced: until the end of the limit, or where it was forced, of Retry-After. */
function announcedWait(
  { refusedUntil, bannedUntil }: RequestNotes,
  { retryAfter, startedAtStore }: ObservedRequest,
): AnnouncedWait | undefined {
  if (retryAfter === undefined) return undefined;
  const until = refusedUntil ?? startedAtStore + Number(retryAfter) * 1000;
  return { until, isBan: bannedUntil !== undefined };
}

function addedPet(json: string, pet: NewPet): AddedPet {
  const [, id = "0"] = /^\{"id":(\d+)/.exec(json) ?? [];
  return { id: BigInt(id), name: pet.name, content: petJson(0n, pet) };
}
