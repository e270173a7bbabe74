import { describe, expect, it } from "vitest";
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
  ])("of %j is %j", (names, fields) => {
    expect(chooseFields(names, allowed)).toEqual(fields);
  });

  it.each([
    [["nmae"], 'unknown field "nmae" in --fields; did you mean "name"?'],
    [["id", "categoryid"], 'unknown field "categoryid" in --fields; did you mean "categoryId"?'],
    [["__proto__"], 'unknown field "__proto__" in --fields; the fields are id, name, categoryId'],
    [["\x1b[2J"], "\\u001b[2J"],
  ])("refuses %j", async (names, message) => {
    await expect((async () => chooseFields(names, allowed))()).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(message),
    });
  });

  it.each([[[]], [[""]], [["id", ""]], [[" "]]])("refuses the empty name in %j", async (names) => {
    await expect((async () => chooseFields(names, allowed))()).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining("id, name, categoryId, status"),
    });
  });
});
