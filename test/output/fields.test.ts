import { describe, expect, it } from "vitest";
import { Failure } from "../../src/core/errors.ts";
import { chooseFields } from "../../src/output/fields.ts";

const allowed = ["id", "name", "categoryId", "status"];

describe("chooseFields", () => {
  it.each([
    [["id"], ["id"]],
    [
      ["status", "id"],
      ["status", "id"],
    ],
    [
      ["name", "name", "id", "name"],
      ["name", "id"],
    ],
    [
      [" id ", "name"],
      ["id", "name"],
    ],
  ])("of %j is %j", async (names, fields) => {
    expect(await chooseFields(names, allowed)).toEqual(fields);
  });

  it.each([
    [
      ["nmae"],
      'unknown field "nmae" in --fields; the fields are id, name, categoryId, status',
      "name",
    ],
    [["id", "categoryid"], "categoryid", "categoryId"],
    [["__proto__"], "__proto__", undefined],
    [["\x1b[2J"], "\\u001b[2J", undefined],
  ])("refuses %j", async (names, message, offered) => {
    const failure = await chooseFields(names, allowed).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(failure).toMatchObject({ kind: "usage", message: expect.stringContaining(message) });
    const hints = offered === undefined ? [] : [`did you mean "${offered}"?`];
    expect((failure as Failure).hints).toEqual(hints);
  });

  it.each([[[]], [[""]], [["id", ""]], [[" "]]])("refuses the empty name in %j", async (names) => {
    await expect(chooseFields(names, allowed)).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("id, name, categoryId, status"),
    });
  });
});
