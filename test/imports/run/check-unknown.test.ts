import { describe, expect, it } from "vitest";
import { settle } from "../../../src/imports/run/check-unknown.ts";
import type { Row } from "../../../src/imports/types.ts";
import type { NewPet, Pet } from "../../../src/core/pet.ts";

/** Reads `Rex:sold Mia`: names with a status, or without. */
const petsOf = (text: string): NewPet[] =>
  text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [name = "", status] = word.split(":");
      return Object.assign(
        { name, categoryId: 1n },
        status === undefined ? {} : { status },
      ) as NewPet;
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
