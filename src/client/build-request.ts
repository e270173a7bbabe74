import { isApiKey } from "../core/api-key.ts";
import { usageFailure } from "../core/errors.ts";
import { stringifyExact } from "../core/json/stringify.ts";
import { newPetFieldNames } from "../core/pet-fields.ts";
import type { NewPet } from "../core/pet.ts";
import type { HttpRequest } from "./http/exchange.ts";
import type { ListQuery, PetsApiOptions } from "./types.ts";

type RequestOptions = Pick<PetsApiOptions, "baseUrl" | "apiKey" | "userAgent">;

/** Returns `GET /pets`; what `query` leaves out is not sent. */
export function listRequest(options: RequestOptions, query: ListQuery): HttpRequest {
  const parameters = new URLSearchParams();
  if (query.limit !== undefined) parameters.set("limit", String(query.limit));
  if (query.status !== undefined) parameters.set("status", query.status);
  const search = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  return makeRequest(options, "GET", `/pets${search}`);
}

/** Returns `POST /pets`. */
export function addRequest(options: RequestOptions, pet: NewPet): HttpRequest {
  const request = makeRequest(options, "POST", "/pets");
  return {
    ...request,
    headers: { ...request.headers, "content-type": "application/json" },
    body: stringifyExact(Object.fromEntries(newPetFieldNames.map((field) => [field, pet[field]]))),
  };
}

/** Returns `GET /pets/{petId}`. */
export function getRequest(options: RequestOptions, id: bigint): HttpRequest {
  return makeRequest(options, "GET", `/pets/${id}`);
}

/** Throws a usage Failure, without the key in it, unless `apiKey` is visible ASCII (RFC 6750, 2.1). */
export function checkKey(apiKey: string): void {
  if (isApiKey(apiKey)) return;
  throw usageFailure(
    "the API key contains white space or non-ASCII characters",
    "a key is printable ASCII without spaces",
  );
}

function makeRequest(
  { baseUrl, apiKey, userAgent }: RequestOptions,
  method: HttpRequest["method"],
  rest: string,
): HttpRequest {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    accept: "application/json",
    "accept-encoding": "gzip",
    "user-agent": userAgent,
  };
  return { method, path: baseUrl.pathname.replace(/\/+$/, "") + rest, headers };
}
