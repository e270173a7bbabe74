import { expect, it } from "vitest";
import { type Filters, matches, noFilters } from "../../../../src/server/page/app/requests.tsx";
import type { RequestEntry } from "../../../../src/server/request-log/types.ts";

const entry = { method: "GET", path: "/v1/Pets?x", status: 404, keyId: "ab" } as RequestEntry;

it.each<[Partial<Filters>, boolean]>([
  [{}, true],
  [{ outcome: "client" }, true],
  [{ outcome: "ok" }, false],
  [{ key: "ab" }, true],
  [{ key: "a" }, false],
  [{ key: "-" }, false],
  [{ path: "get /v1/p" }, true],
  [{ path: "post" }, false],
  [{ outcome: "client", key: "ab", path: "pets" }, true],
])("the filters %j show it: %s", (odd, expected) => {
  const filters = { ...noFilters, ...odd };
  expect(matches(entry, filters)).toBe(expected);
});

it("finds requests without a key", () => {
  expect(matches({ ...entry, keyId: null }, { ...noFilters, key: "-" })).toBe(true);
});
