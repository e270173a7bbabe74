import { expect, it } from "vitest";
import { isRecord } from "../../src/core/is-record.ts";

it.each([
  [{}, true],
  [{ pets: 1 }, true],
  [[], false],
  [null, false],
  ["{}", false],
  [undefined, false],
])("isRecord(%j) is %s", (value, is) => {
  expect(isRecord(value)).toBe(is);
});
