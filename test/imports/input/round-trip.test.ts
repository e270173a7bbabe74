import { assert, asyncProperty, boolean, constantFrom } from "fast-check";
import { expect, it } from "vitest";
import { formatted } from "../../output/pets.ts";
import { cuts, pets, readCut } from "../support/any-pets.ts";

it.each(["json", "ndjson", "csv", "tsv"] as const)(
  "what `pets list` writes as %s comes back exactly, wherever its bytes are cut",
  async (format) => {
    const fields = constantFrom(
      ["id", "name", "categoryId", "status"],
      ["status", "categoryId", "name"],
    );
    await assert(
      asyncProperty(pets, cuts, boolean(), fields, async (expected, places, terminal, chosen) => {
        const listed = expected.map((pet, i) => ({ id: BigInt(i), ...pet }));
        // CSV and TSV are exact in a pipe only.
        const how = { fields: chosen, terminal: terminal && format === "json" };
        const text = await formatted(format, listed, how);
        const rows = readCut(format, text, places);
        expect(rows.map((row) => ("pet" in row ? row.pet : row))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  },
);
