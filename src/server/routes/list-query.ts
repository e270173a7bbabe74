import {
  asPetStatus,
  pageSize,
  parseIntInRange,
  type PetStatus,
  petStatuses,
} from "../../client/types.ts";
import { badRequest } from "./errors.ts";

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
export function readPageQuery(url: string): PageQuery {
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
