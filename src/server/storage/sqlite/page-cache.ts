import { pageSize } from "../../../core/api.ts";
import type { PetStatus } from "../../../core/pet-rules.ts";
import type { JsonBytes, PageQuery } from "../storage.ts";

/** The maximum size of a cached list, in characters, to bound memory. */
const maxListChars = 262_144;
/** After more inserts than this in one transaction, the lists are read again. */
const maxStaged = 1_000;

/** The JSON of the newest animals of one status, or of all: newest first. */
interface RecentList {
  readonly pets: string[];
  length: number;
}

/**
 * Caches the newest animals, as many as a page may have, for the sole owner of the data: a list
 * right after a write needs no query. `read` returns the JSON of the newest `limit` animals of a
 * status, newest first.
 */
export function recentPets(read: (query: PageQuery) => readonly string[]) {
  const lists = new Map<PetStatus | undefined, RecentList>();
  let staged: { readonly status: PetStatus | undefined; readonly json: string }[] = [];
  const load = (status: PetStatus | undefined): RecentList => {
    const pets = [...read({ limit: pageSize.max, status })];
    const list = { pets, length: pets.reduce((sum, json) => sum + json.length, 0) };
    // Staged animals may still be rolled back, and would appear twice.
    if (staged.length === 0 && list.length <= maxListChars) lists.set(status, list);
    return list;
  };
  const push = (status: PetStatus | undefined, json: string): void => {
    const list = lists.get(status);
    if (list === undefined) return;
    list.pets.unshift(json);
    list.length += json.length;
    if (list.pets.length > pageSize.max) list.length -= list.pets.pop()?.length ?? 0;
    if (list.length > maxListChars) lists.delete(status);
  };
  const forget = (): void => {
    lists.clear();
    staged = [];
  };
  return {
    /** Returns the JSON array of a page. */
    page: (query: PageQuery): string => {
      const { limit, status } = query;
      if (limit > pageSize.max) return `[${read(query).join(",")}]`;
      const { pets } = lists.get(status) ?? load(status);
      return `[${(limit < pets.length ? pets.slice(0, limit) : pets).join(",")}]`;
    },
    /** Stages an inserted animal, which is listed once the transaction is committed. */
    stage: (status: PetStatus | undefined, json: string): void => {
      if (staged.length <= maxStaged) staged.push({ status, json });
    },
    commit: (): void => {
      if (staged.length > maxStaged) forget();
      for (const { status, json } of staged) {
        push(undefined, json);
        if (status !== undefined) push(status, json);
      }
      staged = [];
    },
    /** Drops everything, after a rollback or a reset; lists are read again when needed. */
    forget,
  };
}

/** Longer pages, in bytes, are not cached, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/**
 * Caches pages, as the bytes to send, until the next write; only the sole owner of the data may do that.
 */
export function pageCache() {
  const pages = new Map<string, JsonBytes>();
  return {
    get: (query: PageQuery) => pages.get(keyOf(query)),
    keep: (query: PageQuery, page: string): JsonBytes => {
      const bytes = Buffer.from(page);
      if (bytes.length <= maxPageBytes) pages.set(keyOf(query), bytes);
      return bytes;
    },
    clear: () => pages.clear(),
  };
}

function keyOf({ limit, status }: PageQuery): string {
  return `${limit} ${status ?? ""}`;
}
