import { expect, it } from "vitest";
import { errorBodySchema } from "../../src/client/error-body.ts";
import { parseExact } from "../../src/core/json/parse.ts";
import { decode } from "../../src/core/pet.ts";

it.each<[string, boolean]>([
  ['{"code":"a","message":"b","status":400}', true],
  ['{"code":"a","message":"b","status":400,"more":[]}', true],
  ['{"code":"a","message":"b"}', false],
  ['{"code":"a","message":"b","status":"400"}', false],
  ['{"code":"a","message":"b","status":400.5}', false],
  ['{"code":"a","message":"b","status":9223372036854775807}', false],
  ['{"code":1,"message":"b","status":400}', false],
  ['{"code":"a","message":["b"],"status":400}', false],
  ['{"message":"b","status":400}', false],
  ["[]", false],
  ["null", false],
  ['"gone"', false],
])("%s is an Error: %s", (text, expected) => {
  expect("value" in decode(errorBodySchema, parseExact(text))).toBe(expected);
});
