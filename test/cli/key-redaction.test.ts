import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { keyRedaction } from "../../src/cli/key-redaction.ts";
import { makeRuntime } from "../support/command/runtime.ts";
import { temporaryFolder } from "../support/program/program.ts";

const key = "a-key-of-the-shop-1234";
const short = "s3cret";
const storeKey = "pets_0123456789abcdefghijklmnopqrstuv";

interface Case {
  readonly argv?: readonly string[];
  readonly env?: Record<string, string>;
  readonly stored?: string;
}

/** Returns `text` as an error shows it; `stored` is the content of the profile file. */
function redacted(text: string, { argv = [], env = {}, stored }: Case): string {
  const home = temporaryFolder();
  if (stored !== undefined) {
    mkdirSync(path.join(home, ".config/pets"), { recursive: true });
    writeFileSync(path.join(home, ".config/pets/config.json"), stored);
  }
  const { runtime } = makeRuntime({ env: { HOME: home, ...env } });
  return keyRedaction({ ...runtime, argv }, {})(text);
}

const profilesWith = (apiKey: string): string =>
  JSON.stringify({ profiles: { shop: { baseUrl: "https://shop.example/v1", apiKey } } });

describe("keyRedaction", () => {
  it.each<[what: string, text: string, Case, shown: string]>([
    ["the key of the environment", `not "${key}"`, { env: { PETS_API_KEY: key } }, 'not "…1234"'],
    ["the key of a profile", `not "${key}"`, { stored: profilesWith(key) }, 'not "…1234"'],
    ["the form of a store's key", `no ${storeKey}, ${storeKey}x`, {}, "no …stuv, …stuvx"],
    [
      "a short key that was typed",
      `no ${short}`,
      { argv: [short], stored: profilesWith(short) },
      "no …",
    ],
    [
      "a short one that was typed in a flag",
      `no ${short}`,
      { argv: [`--status=${short}`], env: { PETS_API_KEY: short } },
      "no …",
    ],
  ])("masks %s", (_what, text, options, shown) => {
    expect(redacted(text, options)).toBe(shown);
  });

  it.each<[what: string, text: string, Case]>([
    ["a short key that nobody typed", "the latest", { stored: profilesWith("test") }],
    ["anything without profiles", `not "${key}"`, {}],
    ["anything because of a damaged file", `not "${key}"`, { stored: "{" }],
    [
      "what is in a file that is not to be read",
      `not "${key}"`,
      {
        stored: profilesWith(key),
        env: { PETS_API_KEY: "another-key-of-all", PETS_BASE_URL: "https://a.example" },
      },
    ],
  ])("leaves %s unchanged", (_what, text, options) => {
    expect(redacted(text, options)).toBe(text);
  });
});
