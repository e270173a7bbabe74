import { describe, expect, it } from "vitest";
import { shells } from "../../src/core/enums.ts";
import { runHere } from "../support/command/world.ts";

describe("pets completion", () => {
  it.each(shells)("prints the script of %s with --json in any place", async (shell) => {
    const printed = await runHere(["completion", shell]);
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    expect(printed.stdout).toContain(`__complete ${shell} `);
    expect(await runHere(["--json", "completion", shell])).toEqual(printed);
    expect(await runHere(["completion", "-o", "json", shell])).toEqual(printed);
  });

  it.each([
    [[], "pets: missing required argument 'shell'\nSee `pets completion --help`."],
    [["zhs"], 'the shell must be bash, zsh, fish or powershell, not "zhs"; did you mean "zsh"?'],
  ])("refuses %j", async (words, message) => {
    const { code, stdout, stderr } = await runHere(["completion", ...words]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${message}\n`);
  });
});
