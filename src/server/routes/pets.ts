import type { IncomingMessage, ServerResponse } from "node:http";
import { asPetStatus, type PetStatus } from "../../core/pet-rules.ts";
import { pageSize } from "../../core/api.ts";
import { parseIntInRange } from "../../core/strings.ts";
import { petStatuses } from "../../core/enums.ts";
import { readBody } from "../http/body.ts";
import type { JsonBytes, Storage } from "../storage/storage.ts";
import { badRequest } from "./errors.ts";
import { InvalidPet, readNewPet } from "./pet-json.ts";

/** What is done at `/v1/pets`; each answers the body of its reply, or throws a Problem. */
export function petHandlers(storage: Storage) {
  return {
    /** The page that the query of `url` asks for. */
    list: (url: string): Promise<JsonBytes> => storage.list(readPageQuery(url)),
    /** Keeps the animal in the body of a request. */
    add: async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<string> =>
      storage.add(readPet(await readBody(incoming, outgoing))),
  };
}

function readPet(body: Uint8Array) {
  try {
    return readNewPet(body);
  } catch (error) {
    throw error instanceof InvalidPet ? badRequest(error.message) : error;
  }
}

/** What `GET /pets` is asked for, checked. */
export interface PageQuery {
  readonly limit: number;
  readonly status: PetStatus | undefined;
}

const firstPage: PageQuery = { limit: pageSize.default, status: undefined };

/**
 * The query of `url` for `GET /pets` (api.md, List animals; store.md, Answers). Other parameters
 * are ignored. Throws a Problem (400).
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
  if (others.length > 0) throw badRequest("limit must be given once at most");
  const limit = parseIntInRange(text, pageSize);
  if (limit !== undefined) return limit;
  const { min, max } = pageSize;
  throw badRequest(`limit must be a whole number from ${min} to ${max}, in digits alone`);
}

function readStatus([text, ...others]: readonly string[]): PetStatus | undefined {
  if (text === undefined) return undefined;
  if (others.length > 0) throw badRequest("status must be given once at most");
  const status = asPetStatus(text);
  if (status !== undefined) return status;
  throw badRequest(`status must be one of ${petStatuses.join(", ")}`);
}
