import {
  type Arbitrary,
  array,
  assert,
  constant,
  constantFrom,
  oneof,
  property,
  record,
} from "fast-check";
import { expect, it } from "vitest";
import { petStatuses } from "../../../../src/core/enums.ts";
import { recentPets } from "../../../../src/server/storage/sqlite/page-cache.ts";

const statuses = [undefined, ...petStatuses] as const;
type Status = (typeof statuses)[number];

/** Returns a table of animals that is read like a database, and its cache in memory. */
function table() {
  let kept: { status: Status; json: string }[] = [];
  let open: typeof kept = [];
  let reads = 0;
  const page = (limit: number, status: Status): string[] =>
    [...kept, ...open]
      .filter((pet) => status === undefined || pet.status === status)
      .map(({ json }) => json)
      .toReversed()
      .slice(0, limit);
  const newest = recentPets(({ limit, status }) => {
    reads += 1;
    return page(limit, status);
  });
  let id = 0;
  return {
    newest,
    reads: () => reads,
    truth: (limit: number, status: Status) => `[${page(limit, status).join(",")}]`,
    insert: (status: Status, size = 1) => {
      id += 1;
      const pet = { status, json: `${id}${"x".repeat(size)}` };
      open.push(pet);
      newest.stage(pet.status, pet.json);
    },
    commit: () => {
      kept = [...kept, ...open];
      open = [];
      newest.commit();
    },
    rollback: () => {
      open = [];
      newest.forget();
    },
  };
}

const anyStatus = constantFrom(...statuses);
const anyStep = oneof(
  record({
    what: constant("add" as const),
    pets: array(anyStatus, { maxLength: 120 }),
    size: constantFrom(1, 30_000),
  }),
  record({ what: constantFrom("rollback" as const, "look inside" as const) }),
  record({
    what: constant("list" as const),
    limit: constantFrom(1, 2, 99, 100, 1_000),
    status: anyStatus,
  }),
);
const steps = array(anyStep, { maxLength: 30 });
type Step = typeof anyStep extends Arbitrary<infer Value> ? Value : never;

/** Returns whether all lists among `all` match the table at their time. */
function isFaithful(all: readonly Step[]): boolean {
  const { newest, truth, insert, commit, rollback } = table();
  for (const step of all) {
    if (step.what === "list") {
      if (newest.page(step) !== truth(step.limit, step.status)) return false;
    } else if (step.what === "add") {
      for (const status of step.pets) insert(status, step.size);
      commit();
    } else {
      insert("sold");
      newest.page({ limit: 100, status: "sold" });
      if (step.what === "rollback") rollback();
      else commit();
    }
  }
  return true;
}

it("always returns what the table would", () => {
  expect(() => assert(property(steps, isFaithful), { numRuns: 300 })).not.toThrow();
});

it("reads the table once, and not again after adds", () => {
  const { newest, reads, insert, commit } = table();
  for (let round = 0; round < 200; round += 1) {
    insert("available");
    commit();
    newest.page({ limit: 100, status: undefined });
    newest.page({ limit: 5, status: "available" });
  }
  expect(reads()).toBe(2);
});

it("reads again after more adds in one transaction than it tracks", () => {
  const { newest, reads, truth, insert, commit } = table();
  newest.page({ limit: 100, status: undefined });
  for (let count = 0; count < 5_000; count += 1) insert(undefined);
  commit();
  expect(newest.page({ limit: 100, status: undefined })).toBe(truth(100, undefined));
  expect(reads()).toBe(2);
});
