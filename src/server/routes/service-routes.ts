import { getRemovedAt, pageSize } from "../../core/api.ts";
import { petStatuses } from "../../core/enums.ts";
import { parseInt64 } from "../../core/int64.ts";
import { asPetStatus, type PetStatus } from "../../core/pet-fields.ts";
import type { NewPet } from "../../core/pet.ts";
import { parseIntInRange } from "../../core/strings.ts";
import { ApiError, badRequest, notFound } from "../api/errors.ts";
import { parseNewPet, petJson, petJsonStart } from "../api/pet-json.ts";
import { deprecationHeaders, type RouteResponse } from "../api/response.ts";
import { bodyOf } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { openApi } from "../openapi/document.ts";
import type { PageQuery, Storage } from "../storage/storage.ts";
import type { Route } from "./router.ts";

/** Returns the routes of the service. `now` is the store's time in ms since the epoch. */
export function serviceRoutes(storage: Storage, now: () => number): readonly Route[] {
  return [
    {
      path: "/v1/pets",
      GET: async (exchange) => {
        const body = await storage.list(readPageQuery(exchange.query));
        return { status: 200, body };
      },
      POST: (exchange) => addPet(storage, exchange),
    },
    {
      path: "/v1/pets/{petId}",
      checkParameter: checkPetId,
      GET: async (_exchange, parameter) => {
        const { status, body } = await findPet(storage, now, parameter);
        return { status, body, headers: deprecationHeaders };
      },
    },
    {
      path: "/healthz",
      GET: async () => {
        await storage.isEmpty();
        return { status: 200, body: '{"status":"ok"}' };
      },
    },
    { path: "/openapi.json", GET: () => ({ status: 200, body: openApi }) },
  ];
}

/** Adds the animal of a request, or if its fault says so only acts as if, and returns the response. */
async function addPet(storage: Storage, exchange: Exchange): Promise<RouteResponse> {
  const pet = parseNewPet(bodyOf(exchange));
  if (exchange.fault?.isKept === false)
    return { status: 201, body: await previewAdd(storage, pet) };
  const body = await storage.add(pet);
  exchange.added = { id: idIn(body), pet };
  return { status: 201, body };
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

/** Returns the response of `GET /v1/pets/{petId}`, which may be an ApiError. */
async function findPet(
  storage: Storage,
  now: () => number,
  petId: string,
): Promise<Pick<RouteResponse, "status" | "body">> {
  const id = parseInt64(petId);
  if (id === undefined) return invalidId();
  if (now() >= getRemovedAt)
    return new ApiError(410, "gone", "GET /pets/{petId} was removed; use GET /pets with status");
  const body = await storage.get(id);
  return body === undefined
    ? notFound(`there is no animal with the id ${id}`)
    : { status: 200, body };
}

function invalidId(): ApiError {
  return notFound("there is no such animal: petId must be a 64-bit integer");
}

/** Throws an ApiError (404) if an id in a path is not an int64. */
function checkPetId(text: string): void {
  if (parseInt64(text) === undefined) throw invalidId();
}

/** Returns what a query of `GET /pets` asks for. Other parameters are ignored. Throws an ApiError (400). */
function readPageQuery(query: string): PageQuery {
  const parameters = new URLSearchParams(query);
  return {
    limit: readLimit(singleValue(parameters, "limit")),
    status: readStatus(singleValue(parameters, "status")),
  };
}

function singleValue(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw badRequest(`${name} must be given at most once`);
  return values[0];
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return pageSize.default;
  const limit = parseIntInRange(text, pageSize);
  if (limit !== undefined) return limit;
  const { min, max } = pageSize;
  throw badRequest(`limit must be an integer from ${min} to ${max}`);
}

function readStatus(text: string | undefined): PetStatus | undefined {
  if (text === undefined) return undefined;
  const status = asPetStatus(text);
  if (status !== undefined) return status;
  throw badRequest(`status must be one of ${petStatuses.join(", ")}`);
}
