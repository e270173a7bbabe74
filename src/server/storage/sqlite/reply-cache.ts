import type { PageQuery } from "../../routes/list-query.ts";
import type { JsonBytes } from "../storage.ts";

/** Longer pages are not kept, in bytes, to bound memory: there are 400 different queries. */
const longest = 32_768;

/**
 * Pages, as the bytes that are sent, kept until the next write; only the sole owner of the data may
 * do that (store.md).
 */
export function replyCache() {
  const pages = new Map<string, JsonBytes>();
  return {
    get: (query: PageQuery) => pages.get(keyOf(query)),
    keep: (query: PageQuery, page: string): JsonBytes => {
      const bytes = Buffer.from(page);
      if (bytes.length <= longest) pages.set(keyOf(query), bytes);
      return bytes;
    },
    clear: () => pages.clear(),
  };
}

function keyOf({ limit, status }: PageQuery): string {
  return `${limit} ${status ?? ""}`;
}
