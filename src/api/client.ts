import { Failure } from "../errors.ts";
import { failureOf, type Settled } from "./failures.ts";
import { findPet, isEndpointGone, notSeen } from "./find.ts";
import type { PetsApiOptions } from "./options.ts";
import type { HttpRequest } from "./outcome.ts";
import type { Reader } from "./replies.ts";
import { addRequest, checkKey, getRequest, listRequest } from "./request.ts";
import { makeRequests, type Requests } from "./requests.ts";
import type { ListQuery, Pet, PetsApi, SendWatcher } from "./types.ts";

/** What the operations share. */
interface Parts {
  readonly options: PetsApiOptions;
  readonly requests: Requests;
}

/**
 * The service of api.md at `baseUrl`. Throws a usage Failure where the key can't be sent or the
 * environment names a proxy that can't be used.
 */
export function createPetsApi(options: PetsApiOptions): PetsApi {
  checkKey(options.apiKey);
  const requests = makeRequests(options);
  const parts = { options, requests };
  return {
    list: async (query) => (await list(parts, query)).value,
    add: async (pet, watcher) => {
      const { read, settled, request } = await send(parts, addRequest(options, pet), watcher);
      return expectBody(parts, request, settled, read, read.readPet);
    },
    get: (id) => get(parts, id),
  };
}

/** Sends a request; what reads its reply is loaded while it is on its way. */
async function send({ requests }: Parts, request: HttpRequest, watcher?: SendWatcher) {
  const settling = requests.settle(request, watcher);
  const [settled, read] = loaded ? [await settling, loaded] : await Promise.all([settling, load()]);
  return { request, settled, read };
}

type Read = typeof import("./replies.ts");

/** What reads replies, once it is loaded: to ask for a module again and again takes its time. */
let loaded: Read | undefined;

async function load(): Promise<Read> {
  loaded = await import("./replies.ts");
  return loaded;
}

async function list(
  parts: Parts,
  query: ListQuery,
): Promise<{ readonly value: readonly Pet[]; readonly attempts: number }> {
  const { read, settled, request } = await send(parts, listRequest(parts.options, query));
  const value = expectBody(parts, request, settled, read, read.readPets);
  return { value, attempts: settled.attempts };
}

async function get(parts: Parts, id: bigint): Promise<Pet> {
  const { read, settled, request } = await send(parts, getRequest(parts.options, id));
  const { error } = read.detailsOf(settled, parts.requests.redaction);
  if (isEndpointGone(settled.outcome, error !== undefined)) {
    return search(parts, id, settled.attempts, error?.code);
  }
  return expectBody(parts, request, settled, read, read.readPet);
}

/** Looks for an animal in the lists, after `sent` requests and the service's `code` for it. */
async function search(
  parts: Parts,
  id: bigint,
  sent: number,
  code: string | undefined,
): Promise<Pet> {
  let attempts = sent;
  const found = await findPet(id, async (query) => {
    const page = await list(parts, query).catch((error: unknown) => {
      throw error instanceof Failure ? withAttempts(error, attempts) : error;
    });
    attempts += page.attempts;
    return page.value;
  });
  if (found === undefined) throw notSeen(id, attempts, code);
  return found;
}

function expectBody<T>(
  { options, requests }: Parts,
  { method }: HttpRequest,
  settled: Settled,
  read: Read,
  reader: Reader<T>,
): T {
  const { redaction } = requests;
  const held = read.heldBy(settled, method, reader, redaction);
  if (held !== undefined && "value" in held) return held.value;
  const details = { ...read.detailsOf(settled, redaction), ...held };
  throw failureOf({ ...settled, ...details, method, host: options.baseUrl.host });
}

function withAttempts(failure: Failure, before: number): Failure {
  const { kind, message, facts, code } = failure;
  return new Failure(kind, message, { ...facts, code, attempts: before + (facts.attempts ?? 0) });
}
