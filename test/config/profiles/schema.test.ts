import { expect, it } from "vitest";
import { parseProfiles } from "../../../src/config/profiles/schema.ts";

it.each<[string, string, object]>([
  ["an empty object", "{}", { profiles: {} }],
  ["an empty file", "\uFEFF\n", { profiles: {} }],
  ["a byte-order mark", '\uFEFF{"current":"a"}', { current: "a", profiles: {} }],
  [
    "a name that every object has",
    '{"profiles":{"constructor":{"baseUrl":"x"}}}',
    { profiles: { constructor: { baseUrl: "x" } } },
  ],
])("reads %s", (_what, text, expected) => {
  expect(parseProfiles(text, "config.json")).toEqual(expected);
});

const profile = (fields: string): string => `{"profiles":{"a":{"baseUrl":"x",${fields}}}}`;

it.each([
  ["half a file", '{"profiles":{"a":{"apiKey":"secret-k', "it is not JSON"],
  ["what is not UTF-8", '{"current":"caf\uFFFD"}', "it is not UTF-8 text"],
  ["null", "null", "it is not a JSON object"],
  ["text", '"secret-key"', "it is not a JSON object"],
  ["profiles that are a list", '{"profiles":[]}', "`profiles` is not an object"],
  ["a current that is not text", '{"current":7}', "`current` is not text"],
  ["a profile that is null", '{"profiles":{"a":null}}', 'profile "a" is not an object'],
  ["no base URL", '{"profiles":{"a":{"apiKey":"secret"}}}', 'profile "a" has no `baseUrl`'],
  ["a key that is not text", profile('"apiKey":1'), "has an invalid `apiKey`"],
  ["a key with a line end", profile('"apiKey":"secret\\nkey"'), "has an invalid `apiKey`"],
  ["an empty key command", profile('"keyCommand":" "'), "has an invalid `keyCommand`"],
  ["a limiter that is no text", profile('"limiter":true'), "has an invalid `limiter`"],
  ["a name that is not allowed", '{"profiles":{"a b":{"baseUrl":"x"}}}', "has an invalid name"],
])("refuses %s, and shows nothing of it", (_what, text, problem) => {
  const parse = (): unknown => parseProfiles(text, "/home/ann/config.json");
  expect(parse).toThrow(expect.objectContaining({ exitCode: 1, code: "io", cause: undefined }));
  expect(parse).toThrow(`the profile file /home/ann/config.json is damaged: `);
  expect(parse).toThrow(problem);
  expect(parse).not.toThrow("secret");
});
