import { getRemovedAt, pageSize } from "../../core/api.ts";
import { petStatuses } from "../../core/enums.ts";
import { parseInt64 } from "../../core/int64.ts";
import { asPetStatus } from "../../core/pet-fields.ts";
import { parseIntInRange } from "../../core/strings.ts";
import { ApiError, badRequest, type ErrorCode } from "../api/errors.ts";
import { parseNewPet, petJson, petJsonStart } from "../api/pet-json.ts";
import { deprecationHeaders, type RouteResponse } from "../api/response.ts";
import { jsonBodyOf } from "../http/body.ts";
import type { Admitted, Arrived } from "../http/exchange.ts";
import { openApi } from "../openapi/document.ts";
import type { PageQuery, Storage } from "../storage/storage.ts";
import type { Route } from "./router.ts";

/** Returns the routes of the service; `serverUrl` returns the URL of a request's server. */
export function serviceRoutes(
  storage: Storage,
  serverUrl: (request: Arrived) => string,
): readonly Route[] {
  return [
    {
      path: "/v1/pets",
      GET: async ({ request }) => ({
        status: 200,
        body: await storage.list(readPageQuery(request.query)),
      }),
      POST: (admitted) => addPet(storage, admitted),
    },
    {
      path: "/v1/pets/{petId}",
      checkParameter: (petId) => {
        if (parseInt64(petId) !== undefined) return;
        throw petError(404, "not_found", "there is no such animal: petId must be a 64-bit integer");
      },
      GET: async ({ request }, petId) => {
        if (request.now().store >= getRemovedAt)
          throw petError(410, "gone", "GET /pets/{petId} was removed; use GET /pets with status");
        const body = await storage.get(BigInt(petId));
        if (body !== undefined) return { status: 200, body, headers: deprecationHeaders };
        throw petError(404, "not_found", `there is no animal with the id ${petId}`);
      },
    },
    {
      path: "/healthz",
      GET: async () => {
        await storage.isEmpty();
        return { status: 200, body: '{"status":"ok"}' };
      },
    },
    {
      path: "/openapi.json",
      GET: ({ request }) => ({ status: 200, body: openApi(serverUrl(request)) }),
    },
  ];
}

function petError(status: number, code: ErrorCode, message: string): ApiError {
  return new ApiError(status, code, message, deprecationHeaders);
}

/** Adds the animal of a request, or if its fault says so only acts as if, and returns the response. */
async function addPet(storage: Storage, admitted: Admitted): Promise<RouteResponse> {
  const pet = parseNewPet(jsonBodyOf(admitted));
  if (admitted.decision.fault?.isKept === false) {
    const newest = Buffer.from(await storage.list({ limit: 1, status: undefined })).toString();
    const id = newest === "[]" ? 1n : idIn(newest.slice(1)) + 1n;
    return { status: 201, body: petJson(id, pet) };
  }
  const body = await storage.add(pet);
  return { status: 201, body, added: { id: idIn(body), pet } };
}

/** Returns the id in the JSON of a Pet, of which it is the first field. */
function idIn(json: string): bigint {
  const start = petJsonStart.length;
  return BigInt(json.slice(start, json.indexOf(",", start)));
}

const aLimit = `an integer from ${pageSize.min} to ${pageSize.max}`;
const aStatus = `one of ${petStatuses.join(", ")}`;

/** What was read last, as most clients ask the same again. */
let last: { readonly query: string; readonly page: PageQuery } | undefined;

/** Returns what a query of `GET /pets` asks for. Other parameters are ignored. Throws an ApiError (400). */
function readPageQuery(query: string): PageQuery {
  if (last?.query !== query) last = { query, page: parsePageQuery(query) };
  return last.page;
}

function parsePageQuery(query: string): PageQuery {
  const parameters = new URLSearchParams(query);
  const read = <T>(name: string, allowed: string, parse: (text: string) => T | undefined) => {
    const [text, ...others] = parameters.getAll(name);
    if (others.length > 0) throw badRequest(`${name} must be given at most once`);
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) throw badRequest(`${name} must be ${allowed}`);
    return value;
  };
  const limit = read("limit", aLimit, (text) => parseIntInRange(text, pageSize));
  return { limit: limit ?? pageSize.default, status: read("status", aStatus, asPetStatus) };
}
