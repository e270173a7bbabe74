import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { journalRef } from "../../../src/commands/add-from/input.ts";
import { baseUrl, openInput, text } from "./open-input.ts";

describe("openValidatedInput", () => {
  it("counts and hashes the input, and measures it for a table", async () => {
    const { input } = await openInput();
    const content = createHash("sha256").update(text).digest("hex");
    expect(input).toMatchObject({ count: 2, content, isReadOnce: false });
    expect(input.widths).toMatchObject({ name: 4, categoryId: 2, status: 0 });
    input.close();
  });

  it("measures nothing for another format", async () => {
    const { input } = await openInput("json");
    expect(input.widths).toEqual({});
    input.close();
  });
});

it("uses one journal for the same content and base URL, whatever the file", async () => {
  const { context, input } = await openInput();
  const same = await openInput();
  const { name, rows } = journalRef(context, input, baseUrl);
  expect(rows).toBe(2);
  expect(journalRef(context, same.input, baseUrl).name).toBe(name);
  const other = new URL("https://other.example/v1");
  expect(journalRef(context, input, other).name).not.toBe(name);
  input.close();
  same.input.close();
});
