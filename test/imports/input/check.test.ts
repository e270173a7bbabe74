import { describe, expect, it } from "vitest";
import { checkRows } from "../../../src/imports/input/input.ts";
import type { ReadRow, Row } from "../../../src/imports/types.ts";
import { read } from "../support/input.ts";
import { rex } from "../support/invalid-rows.ts";

const rowAt = (index: number): Row => ({
  index,
  line: index + 1,
  pet: { name: "Rex", categoryId: 1n },
});
const invalid = (line: number): ReadRow => ({ line, field: "name", message: "is missing" });

async function* batches(...all: readonly (readonly ReadRow[])[]) {
  yield* all;
}

describe("checkRows", () => {
  it("counts the rows and passes them on in batches", async () => {
    const seen: (readonly ReadRow[])[] = [];
    const input = batches([rowAt(0), rowAt(1)], [], [rowAt(2)]);
    const checked = await checkRows(input, { name: "a", path: undefined }, {}, (batch) =>
      seen.push(batch),
    );
    expect(checked).toEqual({ rows: 3, invalid: 0 });
    expect(seen.flat()).toEqual([rowAt(0), rowAt(1), rowAt(2)]);
  });

  it("passes on the rows after an invalid one, too", async () => {
    const seen: ReadRow[] = [];
    const input = batches([rowAt(0)], [rowAt(1), invalid(3)], [rowAt(3)]);
    const check = checkRows(input, { name: "a", path: undefined }, {}, (batch) =>
      seen.push(...batch),
    );
    await expect(check).rejects.toMatchObject({
      kind: "usage",
      message: "1 row is invalid in a; nothing was sent",
      facts: { details: [invalid(3)] },
    });
    expect(seen).toEqual([rowAt(0), rowAt(1), invalid(3), rowAt(3)]);
  });
});

describe("many invalid rows", () => {
  it("are counted, and the first 20 listed", async () => {
    const content = `${rex}\n{}\n`.repeat(5_000);
    const failure = await read(content, { format: "ndjson", name: "a b.txt" }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      kind: "usage",
      message: expect.stringMatching(
        /^5000 rows are invalid in .*a b\.txt; nothing was sent; the first 20/,
      ),
    });
    const { details } = (failure as { facts: { details: { line: number }[] } }).facts;
    expect(details.map(({ line }) => line)).toEqual(
      Array.from({ length: 20 }, (_, row) => 2 * row + 2),
    );
  });

  it.each([
    ['{"name":"Rex","categoryId":1,"age":7}', ["Try it with: --ignore-fields"]],
    ['{"name":"Rex"}', ["Try it with: --category ID"]],
    [`{"${"x".repeat(300)}":[{}]}`, ["Try it with: --format json"]],
  ])("of %s come with the hints %j", async (content, hints) => {
    await expect(read(content)).rejects.toMatchObject({ hints });
  });
});
