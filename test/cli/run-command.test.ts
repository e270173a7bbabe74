import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { printFailure } from "../../src/cli/run-command.ts";
import { usageFailure } from "../../src/core/errors.ts";
import type { Environment } from "../../src/platform/io.ts";
import { makeRuntime } from "../support/command/runtime.ts";
import { temporaryFolder } from "../support/program/program.ts";

const json = /^\{"error":/;
const text = /^pets: wrong\n$/;

it.each<[string[], Environment, RegExp]>([
  [[], {}, text],
  [["--json"], {}, json],
  [["list", "-ondjson"], {}, json],
  [["--output", "xml"], {}, text],
  [[], { PETS_OUTPUT: "json" }, json],
  [["list", "-o", "table"], { PETS_OUTPUT: "json" }, text],
])("an error with %j and %j is %s", async (argv, env, expected) => {
  const { runtime, stderr } = makeRuntime({ env });
  expect(await printFailure(usageFailure("wrong"), { ...runtime, argv })).toBe(2);
  expect(stderr.text).toMatch(expected);
});

it("is colored and without a stack, as the options say", async () => {
  const { runtime, stderr } = makeRuntime({ stderrIsTTY: true });
  await printFailure(new Error("a bug"), { ...runtime, argv: ["--no-color"] });
  expect(stderr.text).not.toMatch(/\u001b|\n {4}at /);
  await printFailure(new Error("a bug"), { ...runtime, argv: ["list", "-v"] });
  expect(stderr.text).toMatch(/\n {4}at [^]*\u001b\[31mpets:/);
});

const key = "a-key-of-the-shop-1234";
const short = "s3cret";
const storeKey = "pets_0123456789abcdefghijklmnopqrstuv";

interface Case {
  readonly typed?: string;
  readonly env?: Environment;
  /** The content of the profile file. */
  readonly stored?: string;
}

const storing = (apiKey: string): Case => ({
  stored: JSON.stringify({ profiles: { shop: { baseUrl: "https://shop.example/v1", apiKey } } }),
});
const fromOutside = { PETS_API_KEY: "another-key-of-all", PETS_BASE_URL: "https://a.example" };

it.each<[what: string, text: string, Case, shown: string]>([
  ["masks the key of the environment", `"${key}"`, { env: { PETS_API_KEY: key } }, '"…1234"'],
  ["masks the key of a profile", `"${key}"`, storing(key), '"…1234"'],
  ["masks the form of a store's key", `no ${storeKey}, ${storeKey}x`, {}, "no …stuv, …stuvx"],
  ["masks a short key that was typed", short, { typed: short, ...storing(short) }, "…"],
  ["masks one in a flag", short, { typed: `-o=${short}`, env: { PETS_API_KEY: short } }, "…"],
  ["shows a short key that nobody typed", "the latest", storing("test"), "the latest"],
  ["shows anything without profiles", `"${key}"`, {}, `"${key}"`],
  ["shows anything beside a damaged file", `"${key}"`, { stored: "{" }, `"${key}"`],
  ["reads no file in vain", `"${key}"`, { ...storing(key), env: fromOutside }, `"${key}"`],
])("an error %s", async (_what, message, { typed = "", env = {}, stored }, shown) => {
  const home = temporaryFolder();
  if (stored !== undefined) {
    mkdirSync(path.join(home, ".config/pets"), { recursive: true });
    writeFileSync(path.join(home, ".config/pets/config.json"), stored);
  }
  const { runtime, stderr } = makeRuntime({ argv: [typed], env: { HOME: home, ...env } });
  await printFailure(usageFailure(message), runtime);
  expect(stderr.text).toBe(`pets: ${shown}\n`);
});
