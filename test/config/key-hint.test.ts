import { expect, it } from "vitest";
import { keyHint, keyName } from "../../src/config/key-hint.ts";

it.each([
  [{}, "check PETS_API_KEY, or unset it to use a profile"],
  [{ profile: "shop" }, "log in again: `pets login --profile shop`"],
  [
    { profile: "shop", fromCommand: true },
    "check which key the key command prints: see `pets profile show shop`",
  ],
])("the hint about a rejected key of %j", (connection, hint) => {
  expect(keyHint(connection)).toBe(hint);
});

it.each([
  [{}, "…1234 from PETS_API_KEY"],
  [{ profile: "shop" }, "…1234 of profile shop"],
  [{ profile: "shop", fromCommand: true }, "…1234 from the key command of profile shop"],
])("the name of a key of %j", (connection, name) => {
  expect(keyName({ apiKey: "secret-key-1234", ...connection })).toBe(name);
});
