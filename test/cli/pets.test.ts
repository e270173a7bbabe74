import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../src/cli/program.ts";
import { recordOutput } from "../support/command/terminal.ts";

/** Returns what the parser makes of `line`. */
function parse(line: string) {
  const program = {
    version: "1.2.3",
    help: "",
    node: "",
    script: "",
    nodeVersion: "24.0.0",
    platform: process.platform,
  };
  return parseCommandLine({ argv: line.split(" "), stdout: recordOutput(), program });
}

describe("the global options", () => {
  it.each([
    ["list", {}],
    ["list --json", { json: true }],
    ["--json list", { json: true }],
    ["--profile a list --profile b", { profile: "b" }],
    ["list --profile=a -qv", { profile: "a", quiet: true, verbose: true }],
    ["list -ocsv --no-color", { output: "csv", color: false }],
    ["profile --json show -v", { json: true, verbose: true }],
    ["get -5 -q", { quiet: true }],
  ])("pets %s: %j", (line, globals) => {
    expect(parse(line)).toMatchObject({ globals, withoutSettings: expect.any(Boolean) });
    expect(parse(line)).toHaveProperty("globals", globals);
  });

  it("do not include the value of another option", () => {
    expect(parse("add --name --json --category 1")).toHaveProperty("globals", {
      name: "--json",
      category: "1",
    });
  });

  it.each([
    ["list --json --colour", { json: true }],
    ["--json lists", { json: true }],
    ["add --name --json --colour", { name: "--json" }],
  ])("in the invalid line `pets %s` are still %j, for its error", (line, globals) => {
    expect(parse(line)).toMatchObject({ failure: { kind: "usage" } });
    expect(parse(line)).toHaveProperty("globals", globals);
  });

  it.each(["list --version", "--version list", "profile show -V"])(
    "pets %s: the version",
    async (line) => {
      const outcome = parse(line);
      expect("text" in outcome && (await outcome.text())).toBe("1.2.3\n");
    },
  );
});
