import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { NewPet } from "../../core/pet.ts";
import { isServiceRequest, type RequestHandler } from "../http/request-intake.ts";
import { notesOf } from "../http/request-notes.ts";
import { bearerToken } from "../keys.ts";
import { petJson } from "../routes/pet-json.ts";
import type { OwnStorage, Storage, StoreData } from "../storage/storage.ts";
import type { AddedPet, RequestEnd, StoreEvent } from "./judge.ts";

/** What is observed about a request while it is handled. */
interface ObservedRequest {
  added: AddedPet | undefined;
  /** When the reply, or a part of it, was sent. */
  startedAt: number | undefined;
  /** Whether the system has accepted the complete reply. */
  isFinished: boolean;
  /** The Retry-After header. */
  retryAfter: string | undefined;
  isBan: boolean;
}

/** Reports what happens in a store to a judge. */
export interface StoreObserver {
  /** Wraps `data` to report every animal that is stored. */
  readonly observeData: (data: StoreData) => StoreData;
  /** Wraps `handler` to report every request below /v1, except those of the page. */
  readonly observeRequests: (handler: RequestHandler) => RequestHandler;
}

/** Returns an observer that passes events to `take`. `now` returns ms by a clock that never goes back. */
export function observeStore(take: (event: StoreEvent) => void, now: () => number): StoreObserver {
  const current = new AsyncLocalStorage<ObservedRequest>();
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
      take({ type: "reset" });
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
      const key = bearerToken(incoming.headers.authorization ?? "") ?? "";
      const arrivedAt = now();
      take({ type: "arrival", key, at: arrivedAt });
      const request = observeReply(outgoing, now);
      const closed = new Promise<number>((resolve) => {
        outgoing.once("close", () => resolve(now()));
      });
      const handled = (async () => current.run(request, () => handler(incoming, outgoing)))();
      const report = async (): Promise<void> => {
        await Promise.allSettled([closed, handled]);
        take({ ...requestFacts(incoming, outgoing, request, await closed), key, arrivedAt });
      };
      void report();
      return handled;
    },
  };
}

/** Records what `outgoing` sends; replies are written as a head and one `end` with the body. */
function observeReply(outgoing: ServerResponse, now: () => number): ObservedRequest {
  const request: ObservedRequest = {
    added: undefined,
    startedAt: undefined,
    isFinished: false,
    retryAfter: undefined,
    isBan: false,
  };
  outgoing.once("finish", () => {
    request.isFinished = true;
  });
  const end = outgoing.end.bind(outgoing);
  const writeHead = outgoing.writeHead.bind(outgoing);
  const flushHeaders = outgoing.flushHeaders.bind(outgoing);
  Object.assign(outgoing, {
    writeHead: (status: number, headers: Readonly<Record<string, string>>) => {
      request.retryAfter = headers["Retry-After"];
      return writeHead(status, headers);
    },
    end: (body?: string | Uint8Array) => {
      if (!outgoing.destroyed) request.startedAt = now();
      request.isBan = outgoing.statusCode === 429 && String(body).includes('"key_banned"');
      return end(body);
    },
    flushHeaders: () => {
      request.startedAt = now();
      flushHeaders();
    },
  });
  return request;
}

function requestFacts(
  { method = "", url: target = "" }: IncomingMessage,
  outgoing: ServerResponse,
  { added, startedAt, isFinished, retryAfter, isBan }: ObservedRequest,
  closedAt: number,
): Omit<RequestEnd, "key" | "arrivedAt"> {
  const status = startedAt === undefined ? undefined : outgoing.statusCode;
  return {
    type: "end",
    method,
    target,
    endedAt: startedAt ?? closedAt,
    status,
    isComplete: isFinished,
    wait:
      status === 429 && retryAfter !== undefined
        ? { seconds: Number(retryAfter), isBan }
        : undefined,
    added,
  };
}

function addedPet(json: string, pet: NewPet): AddedPet {
  const [, id = "0"] = /^\{"id":(\d+)/.exec(json) ?? [];
  return { id: BigInt(id), name: pet.name, content: petJson(0n, pet) };
}
