import { nameKey } from "../core/api-key.ts";
import { getRemovedAt, pageSize } from "../core/api.ts";
import { petStatuses } from "../core/enums.ts";
import { Failure } from "../core/errors.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { newPetFieldNames } from "../core/pet-fields.ts";
import { decode, decodePets, type NewPet, type Pet, petSchema } from "../core/pet.ts";
import type { FinalOutcome } from "./failures.ts";
import type { HttpRequest, Method } from "./http/sender.ts";
import { errorDetails, readBody, type Reader } from "./read-response.ts";
import { RequestRunner } from "./retry/retry-loop.ts";
import type { ListQuery, PetsApiOptions, SendObserver } from "./types.ts";

/** An animal, and whether the lists were searched for it: the service no longer returns single ones. */
interface FoundPet {
  readonly pet: Pet;
  readonly searched: boolean;
}

/** The operations of a PetsClient. */
export type PetsApi = Pick<PetsClient, "list" | "add" | "get">;

/** The operations of the service. Each rejects with a Failure; anything else is an internal error. */
export class PetsClient {
  readonly #options: PetsApiOptions;
  readonly #runner: RequestRunner;

  /** Throws a usage Failure if the environment names a proxy that can't be used. */
  constructor(options: PetsApiOptions) {
    const { keyName = nameKey(options.apiKey) } = options;
    this.#options = options;
    this.#runner = new RequestRunner({ ...options, keyName });
  }

  async list(query: ListQuery): Promise<readonly Pet[]> {
    return (await this.#list(query)).pets;
  }

  async add(pet: NewPet, observer?: SendObserver): Promise<Pet> {
    const fields = newPetFieldNames.map((field) => [field, pet[field]]);
    const body = stringifyExact(Object.fromEntries(fields));
    const final = await this.#send({ method: "POST", path: "/pets", body }, observer);
    return this.#read("POST", final, decodePet);
  }

  /** `GET /pets/{petId}`; once that is gone, looks for the animal in the lists. */
  async get(id: bigint): Promise<FoundPet> {
    const final = await this.#send({ method: "GET", path: `/pets/${id}` });
    const { error } = errorDetails(final, this.#options.secrets);
    if (isEndpointGone(final, error !== undefined))
      return this.#search(id, final.attempts, error?.code);
    return { pet: this.#read("GET", final, decodePet), searched: false };
  }

  async #list({ limit, status }: ListQuery): Promise<{ pets: readonly Pet[]; attempts: number }> {
    const parameters = new URLSearchParams();
    if (limit !== undefined) parameters.set("limit", String(limit));
    if (status !== undefined) parameters.set("status", status);
    const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
    const final = await this.#send({ method: "GET", path: `/pets${search}` });
    const pets = this.#read("GET", final, (value) => decodePets(value, limit ?? pageSize.max));
    return { pets, attempts: final.attempts };
  }

  /** Searches the lists for an animal, after `sent` requests; `code` is the service's own for a 404. */
  async #search(id: bigint, sent: number, code: string | undefined): Promise<FoundPet> {
    let attempts = sent;
    for (const query of fallbackQueries) {
      // Not before the first list: if the lists are missing too, the address is wrong.
      const searched = attempts > sent;
      const page = await this.#list(query).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
        const sends = attempts + (error.facts.attempts ?? 0);
        throw error.with({ attempts: sends, ...(searched && { searched }) });
      });
      attempts += page.attempts;
      const pet = page.pets.find((each) => each.id === id);
      if (pet !== undefined) return { pet, searched: true };
    }
    throw notFoundInLists(id, attempts, code);
  }

  #send(request: Omit<HttpRequest, "headers">, observer?: SendObserver): Promise<FinalOutcome> {
    const headers = { accept: "application/json", "accept-encoding": "identity" };
    const path = this.#options.baseUrl.pathname.replace(/\/+$/, "") + request.path;
    return this.#runner.run({ ...request, path, headers }, observer);
  }

  /** Returns the body of a success as `reader` decodes it, without the key. Throws the Failure of anything else. */
  #read<T>(method: Method, final: FinalOutcome, reader: Reader<T>): T {
    const result = readBody(final, method, reader);
    if (result === undefined || !("value" in result))
      throw this.#runner.exchange.failure(method, final, result);
    return this.#options.secrets.inRecord(result.value);
  }
}

const decodePet: Reader<Pet> = (value) => decode(petSchema, value);

/** Returns whether the endpoint is gone: 410, 404 without an Error body, or any 404 from the day of its removal on. */
function isEndpointGone({ outcome }: FinalOutcome, hasError: boolean): boolean {
  if (outcome.kind !== "reply") return false;
  const { status, date } = outcome.reply;
  if (status === 410) return true;
  return status === 404 && (!hasError || (date !== undefined && date >= getRemovedAt));
}

/** The lists to search: of all animals, which includes those without a status, and of each status. */
const fallbackQueries: readonly ListQuery[] = [
  { limit: pageSize.max },
  ...petStatuses.map((status) => ({ limit: pageSize.max, status })),
];

/** Returns the Failure for an animal that is in none of the lists; `code` is the service's own, if it sent one. */
function notFoundInLists(id: bigint, attempts: number, code: string | undefined): Failure {
  const { max } = pageSize;
  const where = `only the newest ${max} animals overall and the newest ${max} per status can be searched`;
  return new Failure("not_found", `animal ${id} was not found: ${where}`, {
    ...(code !== undefined && { code }),
    retryable: false,
    attempts,
    searched: true,
    hints: ["The service no longer returns single animals, so `pets get` searches its lists."],
  });
}
