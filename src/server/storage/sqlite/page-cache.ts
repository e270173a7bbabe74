import { pageSize } from "../../../core/api.ts";
import type { PetStatus } from "../../../core/pet-rules.ts";
import type { JsonBytes, PageQuery } from "../storage.ts";

/** The longest window that is kept, in characters, to bound memory. */
const maxListChars = 262_144;
/** More animals than this in one transaction, and the windows are read again. */
const maxStaged = 1_000;

/** The JSON of the newest animals of one status, or of all: the newest first. */
interface RecentList {
  readonly pets: string[];
  length: number;
}

/**
 * The newest animals in memory, as many as a page may have, for the sole owner of the data: a list
 * right after a write costs no look into the database. `read` answers the JSON of the newest `limit`
 * animals of a status, newest first.
 */
export function recentPets(read: (query: PageQuery) => readonly string[]) {
  const lists = new Map<PetStatus | undefined, RecentList>();
  let staged: { readonly status: PetStatus | undefined; readonly json: string }[] = [];
  const load = (status: PetStatus | undefined): RecentList => {
    const pets = [...read({ limit: pageSize.max, status })];
    const list = { pets, length: pets.reduce((sum, json) => sum + json.length, 0) };
    // What is staged may still be undone, and would come twice.
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
    /** The JSON array of a page. */
    page: (query: PageQuery): string => {
      const { limit, status } = query;
      if (limit > pageSize.max) return `[${read(query).join(",")}]`;
      const { pets } = lists.get(status) ?? load(status);
      return `[${(limit < pets.length ? pets.slice(0, limit) : pets).join(",")}]`;
    },
    /** An animal that is inserted, and there once the transaction is committed. */
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
    /** What was staged is undone, or all has changed: reads again when it is asked. */
    forget,
  };
}

/** Longer pages are not kept, in bytes, to bound memory: there are 400 different queries. */
const maxPageBytes = 32_768;

/**
 * Pages, as the bytes that are sent, kept until the next write; only the sole owner of the data may
 * do that (store.md).
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
