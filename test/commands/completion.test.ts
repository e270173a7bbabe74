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

  it("works with invalid settings", async () => {
    const env = { PETS_OUTPUT: "xml", PETS_BASE_URL: "nonsense" };
    expect(await runHere(["completion", "bash"], { env })).toMatchObject({ code: 0, stderr: "" });
  });

  it("names the shells and an example if none is given", async () => {
    expect(await runHere(["completion"])).toEqual({
      code: 2,
      stdout: "",
      stderr: `pets: <shell> is missing: name one of bash, zsh, fish, powershell
for example \`pets completion bash\`; \`echo $0\` prints the current shell
see \`pets completion --help\`
`,
    });
  });

  it.each([
    ["zhs", "zsh"],
    ["BASH", "bash"],
    ["pwsh", "powershell"],
    ["power-shell", "powershell"],
  ])("suggests for %s the shell %s", async (word, meant) => {
    const { code, stdout, stderr } = await runHere(["completion", word]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`<shell> must be one of bash, zsh, fish, powershell, not "${word}"`);
    expect(stderr).toContain(`did you mean "${meant}"?`);
  });

  it("suggests nothing for fsh, which is as close to fish as to zsh, but fish", async () => {
    const { stderr } = await runHere(["completion", "fsh"]);
    expect(stderr).toContain('did you mean "fish"?');
  });

  it("reports an unknown shell in JSON if that is requested", async () => {
    const { code, stderr } = await runHere(["completion", "tcsh", "--json"]);
    expect([code, JSON.parse(stderr).error.code]).toEqual([2, "usage"]);
  });
});
