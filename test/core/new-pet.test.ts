import { expect, it } from "vitest";
import { newPet } from "../../src/core/new-pet.ts";

it("leaves out what is undefined", () => {
  const rex = { name: "Rex", categoryId: 1n };
  expect(newPet({ ...rex, status: undefined })).toEqual(rex);
  expect(Object.keys(newPet({ ...rex, status: undefined }))).toEqual(["name", "categoryId"]);
  expect(newPet({ ...rex, status: "sold" })).toEqual({ ...rex, status: "sold" });
});
