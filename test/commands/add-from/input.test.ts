import { expect, it } from "vitest";
import { openInput } from "./open-input.ts";

it("counts the rows of the input", async () => {
  const { input } = await openInput();
  expect(input).toMatchObject({ rows: 2, source: { isReadOnce: false } });
  input[Symbol.dispose]();
});
