import { describe, expect, it } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { helpTopics } from "../../src/commands/help-topics.ts";
import { runHere } from "../support/world.ts";

const topics = Object.entries(helpTopics);

describe("pets help", () => {
  it("names every command and topic", async () => {
    const { stdout } = await runHere(["help"]);
    expect(stdout).toContain(topics.map(([name]) => name).join(", "));
    for (const { name, summary } of commands)
      expect(stdout).toMatch(new RegExp(`^ {2}${name} .*${summary.slice(0, 12)}`, "m"));
  });

  it.each(topics)("prints the topic %s", async (name, text) => {
    expect(await runHere(["help", name])).toEqual({ code: 0, stdout: text(), stderr: "" });
  });

  it.each(topics)("fits the topic %s into 80 columns", (_, text) => {
    expect(
      text()
        .split("\n")
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  it.each(commands)("fits the help of $name into 80 columns", async ({ name }) => {
    const { stdout } = await runHere([name, "--help"]);
    expect(stdout).toContain(`Usage: pets ${name}`);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([["list"], ["profile", "use"], ["serve"]])(
    "prints what %s --help does",
    async (...words) => {
      const asked = await runHere([...words, "--help"]);
      expect(asked.stdout).toContain("Usage: pets ");
      expect(await runHere(["help", ...words])).toEqual(asked);
    },
  );

  it.each([
    [["lst"], "list"],
    [["exit-code"], "exit-codes"],
    [["profile", "user"], "profile"],
    [["constructor"], ""],
    [["toString"], ""],
    [["__proto__"], ""],
  ])("offers the nearest to %j", async (words, nearest) => {
    const { code, stdout, stderr } = await runHere(["help", ...words]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^pets: there is no command or topic "/);
    expect(stderr).toContain(`did you mean \`pets help ${nearest}`);
  });

  it("is had where the settings are wrong", async () => {
    const env = { PETS_OUTPUT: "xml", PETS_BASE_URL: "nonsense" };
    expect(await runHere(["help", "environment"], { env })).toMatchObject({ code: 0, stderr: "" });
  });
});
