import { getRemovedAt, pageSize } from "../../core/api.ts";
import { parseInt64 } from "../../core/int64.ts";
import type { NewPet } from "../../core/pet.ts";
import { asPetStatus, type PetStatus } from "../../core/pet-rules.ts";
import { parseIntInRange } from "../../core/strings.ts";
import { petStatuses } from "../../core/enums.ts";
import { readBody } from "../http/body.ts";
import type { PageQuery, Storage } from "../storage/storage.ts";
import { ApiError, badRequest, notFound } from "../api/errors.ts";
import { InvalidPet, parseNewPet, petJson, petJsonStart } from "../api/pet-json.ts";
import { deprecationHeaders, type RouteResponse } from "../api/response.ts";
import type { RoutedRequest, RouteHandler } from "./router.ts";

/** Returns the handlers below `/v1/pets`. `now` is the store's time in ms since the epoch. */
export function petHandlers(storage: Storage, now: () => number) {
  return {
    list: async ({ exchange }: RoutedRequest): Promise<RouteResponse> => ({
      status: 200,
      body: await storage.list(readPageQuery(exchange.target)),
    }),
    add: async ({ exchange }: RoutedRequest): Promise<RouteResponse> => {
      const pet = parsePetBody(await readBody(exchange));
      if (exchange.fault?.isKept === false)
        return { status: 201, body: await previewAdd(storage, pet) };
      const body = await storage.add(pet);
      exchange.added = { id: idIn(body), pet };
      return { status: 201, body };
    },
    get: withDeprecation(async ({ parameter }) => ({
      status: 200,
      body: await getPetById(storage, now, parameter),
    })),
  } satisfies Record<string, RouteHandler>;
}

/** Returns the JSON that adding `pet` would return. */
async function previewAdd(storage: Storage, pet: NewPet): Promise<string> {
  const newest = Buffer.from(await storage.list({ limit: 1, status: undefined })).toString();
  return petJson((newest === "[]" ? 0n : idIn(newest.slice(1))) + 1n, pet);
}

/** Returns the id in the JSON of a Pet, of which it is the first field. */
function idIn(json: string): bigint {
  const start = petJsonStart.length;
  return BigInt(json.slice(start, json.indexOf(",", start)));
}

/** Adds the deprecation headers to responses, and to an ApiError that is thrown. */
function withDeprecation(
  handler: (request: RoutedRequest) => Promise<RouteResponse>,
): RouteHandler {
  return async (request) => {
    const { status, body, headers } = await handler(request).catch((error: unknown) => {
      if (error instanceof ApiError) return error;
      throw error;
    });
    return { status, body, headers: { ...deprecationHeaders, ...headers } };
  };
}

async function getPetById(storage: Storage, now: () => number, petId: string): Promise<string> {
  const id = parsePetId(petId);
  if (now() >= getRemovedAt)
    throw new ApiError(410, "gone", "GET /pets/{petId} was removed; use GET /pets with status");
  const pet = await storage.get(id);
  if (pet === undefined) throw notFound(`there is no animal with the id ${id}`);
  return pet;
}

/** Returns the id in a path. Throws an ApiError (404) if it is not an int64. */
export function parsePetId(text: string): bigint {
  const id = parseInt64(text);
  if (id === undefined) throw notFound("there is no such animal: petId must be a 64-bit integer");
  return id;
}

function parsePetBody(body: Uint8Array): NewPet {
  try {
    return parseNewPet(body);
  } catch (error) {
    throw error instanceof InvalidPet ? badRequest(error.message) : error;
  }
}

const firstPage: PageQuery = { limit: pageSize.default, status: undefined };

/**
 * Returns the query of `url` for `GET /pets` (`help store`). Other
 * parameters are ignored. Throws an ApiError (400).
 */
function readPageQuery(url: string): PageQuery {
  const start = url.indexOf("?");
  if (start === -1) return firstPage;
  const [query] = url.slice(start + 1).split("#");
  const parameters = new URLSearchParams(query);
  return {
    limit: readLimit(parameters.getAll("limit")),
    status: readStatus(parameters.getAll("status")),
  };
}

function readLimit([text, ...others]: readonly string[]): number {
  if (text === undefined) return pageSize.default;
  if (others.length > 0) throw badRequest("limit must be given at most once");
  const limit = parseIntInRange(text, pageSize);
  if (limit !== undefined) return limit;
  const { min, max } = pageSize;
  throw badRequest(`limit must be a whole number from ${min} to ${max}`);
}

function readStatus([text, ...others]: readonly string[]): PetStatus | undefined {
  if (text === undefined) return undefined;
  if (others.length > 0) throw badRequest("status must be given at most once");
  const status = asPetStatus(text);
  if (status !== undefined) return status;
  throw badRequest(`status must be one of ${petStatuses.join(", ")}`);
}
