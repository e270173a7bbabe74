import { samplePets } from "../../../src/server/seed/generate.ts";
import { describe, expect, it } from "vitest";
import { petJson, parseNewPet } from "../../../src/server/routes/pet-json.ts";

describe("samplePets", () => {
  it("are the same each time, and more of them begin alike", () => {
    expect([...samplePets(20)]).toEqual([...samplePets(50)].slice(0, 20));
  });

  it("are valid, of every status and without, and not all named alike or in ASCII", () => {
    const pets = [...samplePets(200)];
    for (const pet of pets) expect(parseNewPet(Buffer.from(petJson(1n, pet)))).toEqual(pet);
    const statuses = new Set([...samplePets(4)].map(({ status }) => status));
    expect(statuses).toEqual(new Set(["available", "pending", "sold", undefined]));
    const names = new Set(pets.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(50);
    expect([...names].some((name) => /[^\u0000-\u007f]/.test(name))).toBe(true);
  });
});
