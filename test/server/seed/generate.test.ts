import { describe, expect, it } from "vitest";
import { petJson, parseNewPet } from "../../../src/server/api/pet-json.ts";
import { samplePets } from "../../../src/server/seed/generate.ts";

describe("samplePets", () => {
  it("returns the same animals each time, and a larger number begins with the same", () => {
    expect([...samplePets(20)]).toEqual([...samplePets(50)].slice(0, 20));
  });

  it("returns valid animals of every status and without one, with varied and non-ASCII names", () => {
    const pets = [...samplePets(200)];
    for (const pet of pets) expect(parseNewPet(Buffer.from(petJson(1n, pet)))).toEqual(pet);
    const statuses = new Set([...samplePets(4)].map(({ status }) => status));
    expect(statuses).toEqual(new Set(["available", "pending", "sold", undefined]));
    const names = new Set(pets.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(50);
    expect([...names].some((name) => /[^\u0000-\u007f]/.test(name))).toBe(true);
  });
});
