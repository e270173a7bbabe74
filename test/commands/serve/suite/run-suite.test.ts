import { describe, expect, it } from "vitest";
import { type ChildCommand, readServeSettings } from "../../../../src/commands/serve/settings.ts";
import { runSuite } from "../../../../src/commands/serve/suite/run-suite.ts";
import { systemClock } from "../../../support/command/machine.ts";
import { recordOutput, widestLine } from "../../../support/command/terminal.ts";
import { profileTest } from "../../profile-context.ts";

/** A client that lists animals once, and ends with 0 whatever comes of it. */
const client: ChildCommand = [
  process.execPath,
  "--input-type=module",
  "-e",
  `const headers = { Authorization: "Bearer " + process.env.PETS_API_KEY };
   await (await fetch(process.env.PETS_BASE_URL + "/pets", { headers })).text();`,
];

/** Runs the suite on the client in two scenarios, of which it fails one. */
async function run(terminal: { readonly isTTY: boolean; readonly columns?: number }) {
  const stdout = recordOutput(terminal);
  const argv = ["serve", "--suite", "--", ...client];
  const { context, stderr } = profileTest({
    env: { PATH: process.env.PATH ?? "" },
    stderrIsTTY: terminal.isTTY,
    runtime: { argv, stdout, clock: systemClock },
  });
  const settings = readServeSettings(context, client, { page: false });
  const scenario = ["get-500", "slow-response"];
  expect(await runSuite(context, { scenario }, settings, client)).toBe(1);
  return { stdout: stdout.text, stderr: stderr.text };
}

const problem =
  "request 1 (GET /v1/pets) got 500, was not followed by one that succeeded, and the command ended with 0; send it again, or end with an error";

describe.concurrent("the suite", () => {
  it("shows on a terminal how each scenario ended, and whole what the table cuts", async () => {
    const { stdout, stderr } = await run({ isTTY: true, columns: 60 });
    expect(stderr).toMatch(/^1\/2 get-500: failed\n[^]*^2\/2 slow-response: passed$/m);
    const [table = "", below = ""] = stdout.split("\n\n");
    expect(table).toMatch(/…$/m);
    expect(below.replaceAll(/\s+/g, " ").trimEnd()).toBe(`get-500 ${problem}`);
    expect(widestLine(stdout)).toBeLessThanOrEqual(60);
  });

  it("cuts nothing in a pipe, and shows no progress there", async () => {
    const { stdout, stderr } = await run({ isTTY: false });
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stdout).toContain(problem);
    expect(stderr).not.toContain("1/2");
  });
});
