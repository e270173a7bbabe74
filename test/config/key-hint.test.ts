import { expect, it } from "vitest";
import { keyHint } from "../../src/config/key-hint.ts";

it.each([
  [{}, "check the key in PETS_API_KEY"],
  [{ profile: "shop" }, "log in again: `pets login --profile shop`"],
  [
    { profile: "shop", fromCommand: true },
    "check which key the key command prints: see `pets profile show shop`",
  ],
])("the hint about a rejected key of %j", (connection, hint) => {
  expect(keyHint(connection)).toBe(hint);
});
