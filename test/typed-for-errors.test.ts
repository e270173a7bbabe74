import { expect, it } from "vitest";
import { typedForErrors } from "../src/typed-for-errors.ts";

it.each([
  [[], {}, { json: false, verbose: false, color: true }],
  [["list", "--json"], {}, { json: true }],
  [["-o", "json", "list"], {}, { json: true }],
  [["list", "-ojson"], {}, { json: true }],
  [["list", "-qo", "ndjson"], {}, { json: true }],
  [["list", "--output=ndjson"], {}, { json: true }],
  [["list", "--output", "csv"], {}, { json: false }],
  [["list", "--json", "-o", "table"], {}, { json: false }],
  [["list"], { PETS_OUTPUT: "json" }, { json: true }],
  [["list", "-o", "table"], { PETS_OUTPUT: "json" }, { json: false }],
  [["serve", "--", "pets", "list", "--json"], {}, { json: false }],
  [["list", "-v"], {}, { verbose: true }],
  [["list", "-qv"], {}, { verbose: true }],
  [["list", "--verbose", "--no-color"], {}, { verbose: true, color: false }],
])("%j with %j", (argv, env, expected) => {
  expect(typedForErrors(argv, env)).toMatchObject(expected);
});
