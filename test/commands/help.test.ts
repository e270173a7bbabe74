import { describe, expect, it } from "vitest";
import { createProgram } from "../../src/commands/index.ts";
import { topicText } from "../../src/help/topics/index.ts";
import { everydayTopics, topicNames } from "../../src/help/topics/names.ts";
import { runHere } from "../support/command/world.ts";

const { commands } = createProgram();

describe("pets help", () => {
  it("names every command and topic", async () => {
    const { stdout } = await runHere(["help"]);
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const [name, summary] of Object.entries(everydayTopics))
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, "m"));
    expect(stdout).toMatch(/^ {2}store, faults, checks +for local stores and tests$/m);
    for (const command of commands) {
      const names = [command.name(), ...command.aliases()].join(", ");
      expect(stdout).toMatch(new RegExp(`^ {2}${names} +${command.summary().slice(0, 12)}`, "m"));
    }
    const headings = stdout.match(/^[A-Z][\w ]+:$/gm)?.join(" ");
    expect(headings).toBe(
      "Animals: Setup: For local stores and tests: Global options: Help topics: Examples:",
    );
  });

  it.each(topicNames.filter((name) => name !== "store"))(
    "prints the topic %s, even if settings are wrong",
    async (name) => {
      const run = await runHere(["help", name], { env: { PETS_TIMEOUT: "soon" } });
      expect(run).toEqual({ code: 0, stdout: topicText(name), stderr: "" });
    },
  );

  it("leads from a topic to the command of its name, and back", async () => {
    const { stdout } = await runHere(["help", "store"]);
    const pointer = "\nThis is a topic; for the command, see `pets store --help`.\n";
    expect(stdout).toBe(`${topicText("store")}${pointer}`);
    const command = await runHere(["store", "--help"]);
    expect(command.stdout).toContain("\n`pets help store` is the topic on running a store.\n");
  });

  it("prints the same as --help of a command", async () => {
    const asked = await runHere(["profile", "use", "--help"]);
    expect(asked.stdout).toContain("Usage: pets profile use ");
    expect(await runHere(["help", "profile", "use"])).toEqual(asked);
  });

  it.each([
    ["lst", '; did you mean "list"?'],
    ["exit-code", '; did you mean "exit-codes"?'],
    ["profile user", '; did you mean "profile use"?'],
    ["keys ad", '; did you mean "keys add"?'],
    ["delete", "; no animal can be deleted: the API can list, add and get animals"],
    ["nope", ""],
    ["constructor", ""],
  ])("says what %s is: unknown%s", async (words, meant) => {
    const stderr = `pets: unknown command or topic "${words}"${meant}\nSee \`pets help\`.\n`;
    expect(await runHere(["help", ...words.split(" ")])).toEqual({ code: 2, stdout: "", stderr });
  });

  it("prints commands, variables, exit codes and error codes as JSON", async () => {
    const { code, stdout } = await runHere(["help", "--json"]);
    const all = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(all.commands.map(({ name }: { name: string }) => name)).toEqual(
      commands.map((command) => command.name()),
    );
    const list = all.commands[0];
    expect(list).toMatchObject({ name: "list", aliases: ["ls"], usage: "pets list [options]" });
    const status = { name: "--status", value: "status", values: ["available", "pending", "sold"] };
    expect(list.options).toEqual([
      { ...status, description: "list only animals with this status" },
      { name: "--limit", value: "n", description: expect.any(String), default: "20" },
    ]);
    expect(all.globalOptions[2]).toMatchObject({ name: "--output", short: "-o", default: "table" });
    expect(all.globalOptions.at(-1)).toMatchObject({ name: "--help", short: "-h" });
    const [, add] = all.commands;
    expect([add.name, add.arguments]).toEqual(["add", []]);
    const [key] = all.environment;
    expect(key).toEqual({ name: "PETS_API_KEY", meaning: "API key; no flag takes a key" });
    expect(all.exitCodes.map((each: { code: number }) => each.code)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 129, 130, 143,
    ]);
    expect(all.errorCodes.map((each: { code: string }) => each.code)).toContain("already_added");
    expect((await runHere(["--json", "help"])).stdout).toBe(stdout);
  });
});
