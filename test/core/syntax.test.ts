import { describe, expect, it } from "vitest";
import { oneOf, problemIn, shown } from "../../src/core/syntax.ts";

describe("one of some texts", () => {
  const syntax = oneOf(["available", "pending", "sold"]);

  it.each([
    ["sold", "sold"],
    ["Sold", undefined],
    ["toString", undefined],
    ["", undefined],
  ])("of %j is %j", (text, value) => {
    expect(syntax.parse(text)).toBe(value);
  });

  const allowed = "--status must be available, pending or sold";

  it.each([
    ["avialable", `${allowed}, not "avialable"; did you mean "available"?`],
    ["SOLD", `${allowed}, not "SOLD"; did you mean "sold"?`],
    ["gone", `${allowed}, not "gone"`],
    ["", `${allowed}, not ""`],
    ["<status>", "--status: replace <status> with available, pending or sold"],
    ["\u001b[2J", `${allowed}, not "\\u001b[2J"`],
    ["x".repeat(80), `${allowed}, not "${"x".repeat(80)}"`],
  ])("%j is not: %s", (text, problem) => {
    expect(problemIn("--status", syntax, text)).toBe(problem);
  });

  it.each([[["first", "last"], "first or last"]])("of %j must be %s", (values, listed) => {
    expect(oneOf(values).allowed("")).toBe(listed);
  });
});

it.each([
  [7, "7"],
  [undefined, "nothing"],
  ["x".repeat(80), `"${"x".repeat(59)}…`],
])("%j is shown as %s", (value, text) => {
  expect(shown(value)).toBe(text);
});
