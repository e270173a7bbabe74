import { describe, expect, it } from "vitest";
import { type ErrorDisplay, errorDisplayOptions } from "../../src/cli/run-command.ts";
import type { RawGlobals } from "../../src/config/types.ts";
import type { Environment } from "../../src/platform/io.ts";

describe("errorDisplayOptions", () => {
  it.each<[RawGlobals, Environment, Partial<ErrorDisplay>]>([
    [{}, {}, { json: false, verbose: false, color: true }],
    [{ json: true }, {}, { json: true }],
    [{ output: "json" }, {}, { json: true }],
    [{ output: "ndjson" }, {}, { json: true }],
    [{ output: "csv" }, {}, { json: false }],
    [{ output: "xml" }, {}, { json: false }],
    [{}, { PETS_OUTPUT: "json" }, { json: true }],
    [{ output: "table" }, { PETS_OUTPUT: "json" }, { json: false }],
    [{ verbose: true, color: false }, {}, { verbose: true, color: false }],
  ])("%j with %j", (globals, env, expected) => {
    expect(errorDisplayOptions(globals, env)).toMatchObject(expected);
  });
});
