import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../../src/cli/program.ts";
import { recordOutput } from "../support/command/terminal.ts";
import { runHere } from "../support/command/world.ts";
import { storeEnv } from "../support/servers/store-env.ts";

function parse(line: string) {
  const argv = line.split(" ").filter((word) => word !== "");
  const program = {
    version: "1.2.3",
    node: "",
    script: "",
    nodeVersion: "24.0.0",
    platform: "linux",
  } as const;
  return parseCommandLine({ argv, stdout: recordOutput(), program });
}

describe("parseCommandLine", () => {
  it.each([
    ["help", true],
    ["completion bash", true],
    ["list", false],
    ["profile use staging", false],
  ])("runs %s without settings: %s", (line, withoutSettings) => {
    expect(parse(line)).toMatchObject({ withoutSettings });
  });

  it.each([
    ["", "Usage: pets [options] [command]\n"],
    ["--help", "Usage: pets [options] [command]\n"],
    ["list --help", "Usage: pets list [options]\n"],
    ["--json profile use -h", "Usage: pets profile use [options] <profile>\n"],
    ["--version", "1.2.3\n"],
    ["list -V", "1.2.3\n"],
  ])("returns a text for %j", async (line, start) => {
    const outcome = parse(line);
    const text = "text" in outcome ? await outcome.text() : "";
    expect(text.slice(0, start.length)).toBe(start);
  });

  it.each([
    ["lst", 'unknown command "lst"; did you mean "list"?', {}],
    ["--json list --stats", 'unknown option "--stats"; did you mean "--status"?', { json: true }],
    ["list extra -o json", 'pets list takes no argument "extra"', { output: "json" }],
    ["add --name", "--name needs a value", {}],
    ["get", "<id> is missing", {}],
    ["keys drop", 'unknown command "drop"; the commands of pets keys are list, add, revoke', {}],
  ])("refuses %j: %s", (line, message, globals) => {
    expect(parse(line)).toMatchObject({
      globals,
      failure: { kind: "usage", message: expect.stringContaining(message) },
    });
  });

  it("takes options before or after the command; the later one wins", async () => {
    const env = await storeEnv();
    const before = await runHere(["--json", "--fields", "id", "list", "--limit", "1"], { env });
    expect(before.stdout).toMatch(/^\[\{"id":\d+\}\]\n$/);
    const both = await runHere(
      ["-o", "json", "list", "--limit", "1", "-o", "csv", "--fields", "status"],
      { env },
    );
    expect(both.stdout).toBe("status\r\nsold\r\n");
  });
});
