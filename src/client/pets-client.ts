import { Failure } from "../core/errors.ts";
import { failureOf, type FinalOutcome } from "./failures.ts";
import { findPet, isEndpointGone, notFoundInLists } from "./find-in-lists.ts";
import type { ListQuery, PetsApi, PetsApiOptions } from "./types.ts";
import type { Pet } from "../core/pet.ts";
import type { HttpRequest } from "./http/exchange.ts";
import { errorDetails, readBody, petReader, petsReader, type Reader } from "./read-response.ts";
import { addRequest, checkKey, getRequest, listRequest } from "./build-request.ts";
import { createRequestRunner, type RequestRunner } from "./retry/retry-loop.ts";

/** What the operations share. */
interface Parts {
  readonly options: PetsApiOptions;
  readonly requests: RequestRunner;
}

/**
 * The service of api.md at `baseUrl`. Throws a usage Failure where the key can't be sent or the
 * environment names a proxy that can't be used.
 */
export function createPetsApi(options: PetsApiOptions): PetsApi {
  checkKey(options.apiKey);
  const requests = createRequestRunner(options);
  const parts = { options, requests };
  return {
    list: async (query) => (await list(parts, query)).value,
    add: async (pet, watcher) => {
      const request = addRequest(options, pet);
      const settled = await requests.run(request, watcher);
      return expectBody(parts, request, settled, petReader);
    },
    get: (id) => get(parts, id),
  };
}

async function list(
  parts: Parts,
  query: ListQuery,
): Promise<{ readonly value: readonly Pet[]; readonly attempts: number }> {
  const request = listRequest(parts.options, query);
  const settled = await parts.requests.run(request);
  const value = expectBody(parts, request, settled, petsReader);
  return { value, attempts: settled.attempts };
}

async function get(parts: Parts, id: bigint): Promise<Pet> {
  const request = getRequest(parts.options, id);
  const settled = await parts.requests.run(request);
  const { error } = errorDetails(settled, parts.requests.redaction);
  if (isEndpointGone(settled.outcome, error !== undefined)) {
    return search(parts, id, settled.attempts, error?.code);
  }
  return expectBody(parts, request, settled, petReader);
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
  if (found === undefined) throw notFoundInLists(id, attempts, code);
  return found;
}

function expectBody<T>(
  { options, requests }: Parts,
  { method }: HttpRequest,
  settled: FinalOutcome,
  reader: Reader<T>,
): T {
  const { redaction } = requests;
  const held = readBody(settled, method, reader, redaction);
  if (held !== undefined && "value" in held) return held.value;
  const details = { ...errorDetails(settled, redaction), ...held };
  throw failureOf({ ...settled, ...details, method, host: options.baseUrl.host });
}

function withAttempts(failure: Failure, before: number): Failure {
  const { kind, message, facts, code } = failure;
  return new Failure(kind, message, { ...facts, code, attempts: before + (facts.attempts ?? 0) });
}
