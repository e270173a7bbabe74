import { describe, expect, it } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { topicText } from "../../src/help/topics/index.ts";
import { topicNames } from "../../src/help/topics/names.ts";
import { runHere } from "../support/command/world.ts";

describe("pets help", () => {
  it("names every command and topic", async () => {
    const { stdout } = await runHere(["help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(topicNames.join(", "));
    for (const { name, aliases = [], summary } of commands)
      expect(stdout).toMatch(
        new RegExp(`^ {2}${[name, ...aliases].join(", ")}\\b.* .*${summary.slice(0, 12)}`, "m"),
      );
  });

  it.each(topicNames.filter((name) => name !== "store"))("prints the topic %s", async (name) => {
    const stdout = topicText(name);
    expect(await runHere(["help", name])).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("leads from a topic to the command of its name, and back", async () => {
    const { stdout } = await runHere(["help", "store"]);
    const pointer = "\nThis is a topic; for the command, see `pets store --help`.\n";
    expect(stdout).toBe(`${topicText("store")}${pointer}`);
    const command = await runHere(["store", "--help"]);
    expect(command.stdout).toContain("\n`pets help store` is the topic on running a store.\n");
  });

  it.each(commands)("wraps the help of $name to the terminal", async ({ name, notes = [] }) => {
    const { stdout } = await runHere([name, "--help"], { terminal: { columns: 40 } });
    const [head = ""] = stdout.split("\nExamples:\n");
    const asTheyAre = new Set(
      notes.flatMap((block) => (typeof block === "object" && "lines" in block ? block.lines : [])),
    );
    const wrapped = head.split("\n").filter((line) => !asTheyAre.has(line.trim()));
    expect(wrapped.filter((line) => line.length > 40 && /\S \S/.test(line))).toEqual([]);
  });

  it.each(commands)("fits the help of $name into 80 columns", async ({ name }) => {
    const { stdout } = await runHere([name, "--help"]);
    expect(stdout).toContain(`Usage: pets ${name}`);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it.each([["list"], ["profile", "use"], ["serve"]])(
    "prints the same as %s --help",
    async (...words) => {
      const asked = await runHere([...words, "--help"]);
      expect(asked.stdout).toContain("Usage: pets ");
      expect(await runHere(["help", ...words])).toEqual(asked);
    },
  );

  it.each([
    [["lst"], "list"],
    [["exit-code"], "exit-codes"],
    [["profile", "user"], "profile use"],
    [["keys", "ad"], "keys add"],
  ])("suggests the closest to %j", async (words, nearest) => {
    const { code, stdout, stderr } = await runHere(["help", ...words]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `pets: unknown command or topic "${words.join(" ")}"; did you mean "${nearest}"?\nsee \`pets help\`\n`,
    );
  });

  it.each([["nope"], ["nosuch"], ["constructor"], ["toString"], ["__proto__"]])(
    "lists all commands if nothing is close to %s",
    async (word) => {
      expect(await runHere(["help", word])).toEqual({
        code: 2,
        stdout: "",
        stderr: `pets: unknown command or topic "${word}"\nsee \`pets help\`\n`,
      });
    },
  );

  it("works with invalid settings", async () => {
    const env = { PETS_OUTPUT: "xml", PETS_BASE_URL: "nonsense" };
    expect(await runHere(["help", "environment"], { env })).toMatchObject({ code: 0, stderr: "" });
  });
});
