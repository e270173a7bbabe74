import { expect, it } from "vitest";
import { Failure } from "../../src/core/errors.ts";
import { annotations } from "../../src/output/annotations.ts";

const env = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: "/work/repo" };

const failure = (file: string | undefined, message = "is missing", textLine?: number): Failure =>
  new Failure("usage", "1 row is invalid", {
    ...(file !== undefined && { file }),
    details: [{ line: 3, field: "name", message, ...(textLine !== undefined && { textLine }) }],
  });

it.each<readonly [Failure, string]>([
  [failure("/work/repo/data/a.csv"), "::error file=data/a.csv,line=3::name is missing"],
  [failure("/work/repo"), "::error file=,line=3::name is missing"],
  [failure("/work/repo2/a.csv"), "::error file=/work/repo2/a.csv,line=3::name is missing"],
  [failure("/work/repo/..a.csv"), "::error file=..a.csv,line=3::name is missing"],
  [failure(undefined), "::error line=3::name is missing"],
  [failure("/work/repo/a.json", "x", 7), "::error file=a.json,line=7::name x"],
  [
    failure("/work/repo/5%,a:b\n.csv", "5% off: \r\n::error::x,y \u202e"),
    "::error file=5%25%2Ca%3Ab%0A.csv,line=3::name 5%25 off: %0D%0A::error::x,y \\u202e",
  ],
])("annotations of %o", (given, line) => {
  expect(annotations(given, env)).toEqual([line]);
});

it("annotates ten rows at most, and only in a workflow", () => {
  const details = Array.from({ length: 20 }, (_, i) => ({ line: i, message: "x" }));
  const many = new Failure("usage", "x", { details });
  expect(annotations(many, env)).toHaveLength(10);
  expect(annotations(many, { GITHUB_ACTIONS: "1" })).toEqual([]);
  expect(annotations(new Failure("io", "x"), env)).toEqual([]);
});
