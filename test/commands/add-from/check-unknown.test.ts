import { describe, expect, it } from "vitest";
import type { RowOutcome } from "../../../src/imports/types.ts";
import type { ListQuery } from "../../../src/client/types.ts";
import { checkUnknown } from "../../../src/commands/add-from/check-unknown.ts";
import { journalRef } from "../../../src/commands/add-from/input.ts";
import type { PetStatus } from "../../../src/core/pet-rules.ts";
import type { Pet } from "../../../src/core/pet.ts";
import { open } from "../../imports/support/journals.ts";
import { run, type PastRun } from "../../imports/support/runs.ts";
import { baseUrl, emptyContext, memoryInput } from "./past-runs.ts";

const pet = (id: number, name: string, status?: Pet["status"]): Pet => ({
  id: BigInt(id),
  name,
  categoryId: 1n,
  ...(status !== undefined && { status }),
});
const many = (status: Pet["status"], from = 1000): Pet[] =>
  Array.from({ length: 100 }, (_none, i) => pet(from + i, "?", status));

/** The input of a check: how the rows `a` to `d` ended so far, what the store has, and what other runs did. */
interface Given {
  readonly ends: string;
  readonly store: readonly Pet[];
  readonly storeId?: string;
  readonly others?: readonly Partial<PastRun>[];
  /** The status of all rows. */
  readonly status?: PetStatus;
}

/** Checks; returns how each row ended, what was reported, and which lists were requested. */
async function check({ ends, store, storeId = "S", others = [], status }: Given) {
  const { context, notes, past } = emptyContext();
  for (const other of others) past(other.pets ?? "", other.ends ?? "", { storeId, ...other });
  const input = memoryInput("abcd".slice(0, ends.length), status);
  const journal = open(journalRef(context, input, baseUrl));
  journal.recordStore(storeId);
  for (const [row, end] of Array.from(ends).entries()) {
    if (end !== ".") journal.recordSend(row);
    if (end === "u") journal.recordOutcome(row, "unknown");
    if (end === "a") journal.recordOutcome(row, "added", BigInt(row + 1));
  }
  const asked: ListQuery[] = [];
  const reports: string[] = [];
  const list = async (query: ListQuery): Promise<Pet[]> => {
    asked.push(query);
    return store
      .filter((each) => query.status === undefined || each.status === query.status)
      .slice(0, query.limit);
  };
  const report = ({ outcome, row }: RowOutcome): void =>
    void reports.push(`${row.line} ${outcome}`);
  await checkUnknown(context, { api: { list }, input, journal, baseUrl, display: { report } });
  const states = Array.from(ends, (_end, row) => journal.state(row)).join();
  return { states, reports, notes, asked, isFinished: journal.isFinished };
}

describe("checkUnknown", () => {
  it("requests nothing if no row is in doubt", async () => {
    const { asked, notes } = await check({ ends: "a.", store: [] });
    expect([asked, notes]).toEqual([[], ["No row of this input is unknown."]]);
  });

  it("records the rows that the lists show, and makes the others unsent", async () => {
    const found = await check({ ends: "us.a", store: [pet(7, "a"), pet(8, "x")] });
    expect(found).toMatchObject({
      states: "added,unsent,unsent,added",
      reports: ["2 added"],
      isFinished: false,
    });
    expect(found.asked).toEqual([{ limit: 100 }]);
  });

  it("finishes the run when nothing is left to send", async () => {
    expect(await check({ ends: "ua", store: [pet(7, "a")] })).toMatchObject({ isFinished: true });
  });

  it("leaves rows unknown that a full list may hide, and requests the list of each status", async () => {
    const store = [...many("sold"), pet(7, "a", "pending")];
    const found = await check({ ends: "uu", store });
    expect(found.states).toBe("added,unknown");
    expect(found.reports.toSorted()).toEqual(["2 added", "3 unknown"]);
    expect(found.asked.map((query) => query.status)).toEqual([
      undefined,
      "available",
      "pending",
      "sold",
    ]);
  });

  it.each<[PetStatus, string]>([
    ["sold", "unknown,unknown"],
    ["pending", "added,unsent"],
  ])("requests only the list of that status for rows that are %s: %s", async (status, states) => {
    const store = [...many("sold"), pet(7, "a", "pending")];
    const found = await check({ ends: "uu", store, status });
    expect(found.states).toBe(states);
    expect(found.asked.map((query) => query.status)).toEqual([undefined, status]);
  });

  it.each<[string, readonly Partial<PastRun>[], string]>([
    ["that the run itself added", [], "unsent,added"],
    ["that another run added", [run("2", "a", "a")], "unsent"],
    ["that a run added to another store", [run("2", "a", "a", { storeId: "T" })], "added"],
    ["that another run may have added too", [run("2", "a", "u")], "unknown"],
    ["that another run had refused", [run("2", "a", "r")], "added"],
  ])("does not count an animal %s", async (_what, others, states) => {
    const store = others.length === 0 ? [pet(2, "a")] : [pet(1, "a")];
    const ends = others.length === 0 ? "ua" : "u";
    expect((await check({ ends, store, others })).states).toBe(states);
  });

  it("counts the doubtful rows of other runs row by row", async () => {
    const store = [pet(1, "a"), pet(2, "b")];
    const found = await check({ ends: "uu", store, others: [run("2", "b", "s")] });
    expect(found.states).toBe("added,unknown");
  });
});
