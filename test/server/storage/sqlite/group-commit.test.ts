import { expect, it } from "vitest";
import { groupCommit } from "../../../../src/server/storage/sqlite/group-commit.ts";

const pet = (name: string) => ({ name, categoryId: 1n });

/** Returns a database that records its calls; rows named `bad` fail, and `fatal` ends the transaction. */
function recorder({ commitFails = false, rollbackFails = false } = {}) {
  const told: string[] = [];
  let isOpen = false;
  const adds = groupCommit(
    ({ name }) => {
      if (name === "fatal") isOpen = false;
      if (name !== "good") throw new Error(name);
      told.push("insert");
      return "{}";
    },
    {
      begin: () => {
        isOpen = true;
        told.push("begin");
      },
      commit: () => {
        if (commitFails) throw new Error("commit");
        told.push("commit");
      },
      rollback: () => {
        told.push("rollback");
        if (rollbackFails) throw new Error("rollback");
      },
      isOpen: () => isOpen,
    },
  );
  return { told, ...adds };
}

const outcomes = async (adds: readonly Promise<string>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(adds)).map((result) =>
    result.status === "fulfilled" ? "added" : String(result.reason.message),
  );

it("puts adds of one turn into one transaction", async () => {
  const { add, told } = recorder();
  expect(await outcomes([add(pet("good")), add(pet("good"))])).toEqual(["added", "added"]);
  expect(told).toEqual(["begin", "insert", "insert", "commit"]);
  await add(pet("good"));
  expect(told).toHaveLength(7);
});

it("fails only a bad row", async () => {
  const { add, told } = recorder();
  const names = ["good", "bad", "good"];
  expect(await outcomes(names.map((name) => add(pet(name))))).toEqual(["added", "bad", "added"]);
  expect(told).toEqual(["begin", "insert", "insert", "commit"]);
});

it("fails all rows, and stores none, if the transaction is gone", async () => {
  const { add, told } = recorder();
  const names = ["good", "fatal", "good"];
  expect(await outcomes(names.map((name) => add(pet(name))))).toEqual(["fatal", "fatal", "fatal"]);
  expect(told).toEqual(["begin", "insert", "rollback"]);
});

it("resolves no add if the commit fails", async () => {
  const { add, told } = recorder({ commitFails: true });
  expect(await outcomes([add(pet("good")), add(pet("bad"))])).toEqual(["commit", "commit"]);
  expect(told).toEqual(["begin", "insert", "rollback"]);
});

it("settles every add, and continues, if the rollback fails too", async () => {
  const { add, drain } = recorder({ rollbackFails: true });
  expect(await outcomes([add(pet("fatal")), add(pet("good"))])).toEqual(["fatal", "fatal"]);
  await drain();
  expect(await outcomes([add(pet("good"))])).toEqual(["added"]);
});

it("drains waiting adds", async () => {
  const { add, drain, told } = recorder();
  void add(pet("good"));
  await drain();
  expect(told).toContain("commit");
});
