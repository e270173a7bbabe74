import { describe, expect, it } from "vitest";
import { openInput } from "./open-input.ts";

describe("openValidatedInput", () => {
  it("counts the rows of the input, and measures it for a table", async () => {
    const { input } = await openInput();
    expect(input).toMatchObject({ rows: 2, source: { isReadOnce: false } });
    expect(input.widths).toEqual({ line: 1, name: 4, categoryId: 2, status: 0 });
    input[Symbol.dispose]();
  });

  it("measures nothing for another format", async () => {
    const { input } = await openInput("json");
    expect(input.widths).toEqual({});
    input[Symbol.dispose]();
  });
});
