import { maskKey } from "../core/api-key.ts";
import { pageSize } from "../core/api.ts";
import { Failure } from "../core/errors.ts";
import { decode, decodePets, type Pet, petSchema } from "../core/pet.ts";
import { addRequest, checkKey, getRequest, listRequest } from "./build-request.ts";
import { fallbackQueries, isEndpointGone, notFoundInLists } from "./find-in-lists.ts";
import type { HttpRequest } from "./http/exchange.ts";
import { errorDetails, readBody, type Reader } from "./read-response.ts";
import type { FinalOutcome } from "./report/failed-request.ts";
import { failureOf } from "./report/request-failure.ts";
import { RequestRunner } from "./retry/retry-loop.ts";
import type { FoundPet, ListQuery, PetsApi, PetsApiOptions } from "./types.ts";

interface Client {
  readonly options: PetsApiOptions;
  readonly runner: RequestRunner;
}

/**
 * Creates a client of the service at `baseUrl`. Throws a usage Failure if the key can't be
 * sent or the environment names a proxy that can't be used.
 */
export function createPetsApi(options: PetsApiOptions): PetsApi {
  checkKey(options.apiKey);
  const client = { options, runner: new RequestRunner(options) };
  return {
    list: async (query) => (await list(client, query)).value,
    add: async (pet, observer) => {
      const request = addRequest(options, pet);
      return readPet(client, request, await client.runner.run(request, observer));
    },
    get: (id) => get(client, id),
  };
}

async function list(
  client: Client,
  query: ListQuery,
): Promise<{ readonly value: readonly Pet[]; readonly attempts: number }> {
  const request = listRequest(client.options, query);
  const final = await client.runner.run(request);
  const max = query.limit ?? pageSize.max;
  const pets = expectBody(client, request, final, (value) => decodePets(value, max));
  return { value: pets.map((pet) => withoutKey(client, pet)), attempts: final.attempts };
}

async function get(client: Client, id: bigint): Promise<FoundPet> {
  const request = getRequest(client.options, id);
  const final = await client.runner.run(request);
  const { error } = errorDetails(final, client.runner.redaction);
  if (isEndpointGone(final.outcome, error !== undefined))
    return search(client, id, final.attempts, error?.code);
  return { pet: readPet(client, request, final), searched: false };
}

/** Searches the lists for an animal, after `sent` requests; `code` is the service's own for a 404. */
async function search(
  client: Client,
  id: bigint,
  sent: number,
  code: string | undefined,
): Promise<FoundPet> {
  let attempts = sent;
  for (const query of fallbackQueries) {
    // Not before the first list: if the lists are missing too, the address is wrong.
    const searched = attempts > sent;
    const page = await list(client, query).catch((error: unknown) => {
      throw error instanceof Failure ? ofSearch(error, attempts, searched) : error;
    });
    attempts += page.attempts;
    const pet = page.value.find((each) => each.id === id);
    if (pet !== undefined) return { pet, searched: true };
  }
  throw notFoundInLists(id, attempts, code);
}

function readPet(client: Client, request: HttpRequest, final: FinalOutcome): Pet {
  const pet = expectBody(client, request, final, (value) => decode(petSchema, value));
  return withoutKey(client, pet);
}

function expectBody<T>(
  { options, runner }: Client,
  { method }: HttpRequest,
  final: FinalOutcome,
  reader: Reader<T>,
): T {
  const result = readBody(final, method, reader);
  if (result !== undefined && "value" in result) return result.value;
  const details = { ...errorDetails(final, runner.redaction), ...result };
  const { clock, apiKey, keyName = maskKey(apiKey) } = options;
  throw failureOf({ ...options, keyName, ...final, ...details, method, now: clock.now() });
}

function withoutKey({ runner }: Client, pet: Pet): Pet {
  return { ...pet, name: runner.redaction.name(pet.name) };
}

function ofSearch({ kind, message, facts, code }: Failure, before: number, searched: boolean) {
  const attempts = before + (facts.attempts ?? 0);
  return new Failure(kind, message, { ...facts, code, attempts, ...(searched && { searched }) });
}
