import type { PageQuery } from "./list-query.ts";

/** Longer pages are not kept, to bound memory: there are 400 different queries. */
const longest = 32_768;

/** Pages kept until the next write; only the sole owner of the data may do that (store.md). */
export function replyCache() {
  const pages = new Map<string, string>();
  return {
    get: (query: PageQuery) => pages.get(keyOf(query)),
    keep: (query: PageQuery, page: string): string => {
      if (page.length <= longest) pages.set(keyOf(query), page);
      return page;
    },
    clear: () => pages.clear(),
  };
}

function keyOf({ limit, status }: PageQuery): string {
  return `${limit} ${status ?? ""}`;
}
