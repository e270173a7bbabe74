import { expect, it } from "vitest";
import type { TypedOptions } from "../../src/cli/program.ts";
import { printFailure } from "../../src/cli/run-command.ts";
import { usageFailure } from "../../src/core/errors.ts";
import type { Environment } from "../../src/platform/io.ts";
import { makeRuntime } from "../support/command/runtime.ts";

const json = /^\{"error":/;
const text = /^pets: wrong\n$/;

it.each<[TypedOptions, Environment, RegExp]>([
  [{}, {}, text],
  [{ json: true }, {}, json],
  [{ output: "ndjson" }, {}, json],
  [{ output: "xml" }, {}, text],
  [{}, { PETS_OUTPUT: "json" }, json],
  [{ output: "table" }, { PETS_OUTPUT: "json" }, text],
])("an error with %j and %j is %s", async (globals, env, expected) => {
  const { runtime, stderr } = makeRuntime({ env });
  expect(await printFailure(usageFailure("wrong"), runtime, globals)).toBe(2);
  expect(stderr.text).toMatch(expected);
});

it("is colored and without a stack, as the options say", async () => {
  const { runtime, stderr } = makeRuntime({ stderrIsTTY: true });
  await printFailure(new Error("a bug"), runtime, { color: false });
  expect(stderr.text).not.toMatch(/\u001b|\n {4}at /);
  await printFailure(new Error("a bug"), runtime, { verbose: true });
  expect(stderr.text).toMatch(/\n {4}at [^]*\u001b\[31mpets:/);
});
