import { describe, expect, it } from "vitest";
import type { NewPet, Pet } from "../../../src/core/pet.ts";
import { recordedRows } from "../../../src/imports/database/import-records.ts";
import { ImportRun, RunAbort } from "../../../src/imports/run/import-run.ts";
import { checkUnknown, settle } from "../../../src/imports/run/settle.ts";
import type { Row } from "../../../src/imports/types.ts";
import { inBatches, testImport } from "../support/run.ts";

/** Reads `Rex:sold Mia`: names with a status, or without. */
const petsOf = (text: string): NewPet[] =>
  (text.match(/\S+/g) ?? []).map((word) => {
    const [name = "", status] = word.split(":");
    return Object.assign({ name, categoryId: 1n }, status ? { status } : {}) as NewPet;
  });

const rowsOf = (text: string): Row[] =>
  petsOf(text).map((pet, index) => ({ index, line: index + 1, pet }));

const shown = (text: string): Pet[] =>
  petsOf(text).map((pet, i) => Object.assign(pet, { id: BigInt(i + 1) }));

function settled(rows: string, pets: string, isWhole: boolean, others = 0): string {
  const ends = settle(rowsOf(rows), {
    unaccounted: shown(pets),
    isWhole: () => isWhole,
    othersInDoubt: () => others,
  });
  return ends.map(({ pet, isAbsent }) => (isAbsent ? "-" : `${pet?.id ?? "?"}`)).join(" ");
}

describe("settle", () => {
  it.each([
    ["Rex:sold", "Rex:sold", false, "1"],
    ["Rex:sold", "Rex:pending", false, "?"],
    ["Rex:sold", "Rex:pending", true, "-"],
    ["Rex", "Rex:pending", true, "1"],
    ["Rex:sold", "Rex", true, "-"],
    ["Rex Rex", "Rex", true, "1 -"],
    ["Rex Rex", "Rex", false, "1 ?"],
    ["Rex Rex", "Rex Rex Rex", false, "1 2"],
    ["Rex Rex:sold", "Rex:sold", true, "- 1"],
    ["Rex Rex:sold", "Rex Rex:sold", true, "1 2"],
    ["Rex Mia", "Mia Leo", true, "- 1"],
    ["", "Rex", true, ""],
  ])("settles %j with the animals %j, whole list: %s", (rows, pets, isWhole, expected) => {
    expect(settled(rows, pets, isWhole)).toBe(expected);
  });

  it.each([
    ["Rex", "Rex", true, 1, "?"],
    ["Rex", "Rex Rex", false, 1, "1"],
    ["Rex", "", true, 1, "-"],
    ["Rex Rex", "Rex", true, 1, "? -"],
  ])(
    "leaves for %j and %j what may belong to other runs",
    (rows, pets, isWhole, others, expected) => {
      expect(settled(rows, pets, isWhole, others)).toBe(expected);
    },
  );
});

/** Checks three unknown rows, the last record of which was made at 0, at `now`; the store lists `pets`, all it has. */
async function check(now: number, pets: string) {
  const rows = rowsOf("Rex Mia Leo");
  const { database, record } = await testImport(rows, { 0: "unknown", 1: "unknown", 2: "unknown" });
  const run = new ImportRun(new RunAbort(), database, record, { now: () => now }, () => ({}));
  const api = { list: async () => shown(pets) };
  const reported: string[] = [];
  const { pending, settledAt } = await checkUnknown({
    run,
    api,
    database,
    batches: inBatches(rows),
    report: ({ row, outcome }) => void reported.push(`${row.pet.name} ${outcome}`),
  });
  const states = recordedRows(database, record, 0, 3).map(({ state }) => state);
  return { states, reported, pending, settledAt };
}

describe("checkUnknown", () => {
  it("counts rows that no list shows as not sent once their send is a minute old", async () => {
    expect(await check(60_000, "Mia")).toMatchObject({
      states: ["unsent", "added", "unsent"],
      reported: ["Mia added"],
      pending: 0,
    });
  });

  it.each([
    ["Mia", ["unknown", "added", "unknown"], 2, 119_999],
    ["", ["unknown", "unknown", "unknown"], 3, 60_000],
    ["", ["unknown", "unknown", "unknown"], 3, -3_540_000, -3_600_000],
  ])(
    "leaves those unknown whose send is younger, with %j in the lists",
    async (pets, states, pending, settledAt, now = 59_999) => {
      const checked = await check(now, pets);
      expect(checked).toMatchObject({ states, pending, settledAt });
      expect(checked.reported).toHaveLength(3);
    },
  );
});
