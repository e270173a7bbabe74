import { expect, it } from "vitest";
import { environmentVariables } from "../../src/config/environment.ts";

it("lists every variable that settings come from, once", () => {
  const listed = environmentVariables.map(({ name }) => name);
  const settings = ["API_KEY", "BASE_URL", "PROFILE", "OUTPUT", "TIMEOUT", "MAX_WAIT"];
  expect(listed).toEqual(expect.arrayContaining(settings.map((name) => `PETS_${name}`)));
  expect(new Set(listed).size).toBe(listed.length);
});
