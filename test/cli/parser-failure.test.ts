import { describe, expect, it } from "vitest";
import { runHere } from "../support/command/world.ts";

async function refusal(line: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(line.split(" "));
  expect([code, stdout]).toEqual([2, ""]);
  return stderr;
}

describe("a command line that the parser refuses", () => {
  it.each([
    ["get", "<id> is missing", "pets get"],
    ["list --limit", "--limit needs a value", "pets list"],
    ["list --limt 3", 'unknown option "--limt"; did you mean "--limit"?', "pets list"],
    ["list --zzz", 'unknown option "--zzz"', "pets list"],
    [
      "list available -q",
      'pets list takes no argument "available"; did you mean `pets list --status available -q`?',
      "pets list",
    ],
    [
      "ls avialable",
      'pets list takes no argument "avialable"; did you mean `pets ls --status available`?',
      "pets list",
    ],
    ["list extra", 'pets list takes no argument "extra"', "pets list"],
    ["get 1 2", 'pets get takes no argument "2"', "pets get"],
    ["keys ad", 'unknown command "ad"; did you mean "add"?', "pets keys"],
    [
      "keys drop",
      'unknown command "drop"; the commands of pets keys are list, add, revoke',
      "pets keys",
    ],
    ["lst", 'unknown command "lst"; did you mean "list"?', "pets"],
    ["nope", 'unknown command "nope"', "pets"],
  ])("%s: %s", async (line, message, help) => {
    expect(await refusal(line)).toBe(`pets: ${message}\nsee \`${help} --help\`\n`);
  });

  it.each([
    ["delete 7", "no animal can be deleted"],
    ["rm 7", "no animal can be deleted"],
    ["update 7", "no animal can be changed"],
    ["edit 7", "no animal can be changed"],
    ["search Rex", "did you mean `pets list --status <status>`?"],
    ["import a.csv", "did you mean `pets add --from <file>`?"],
    ["show 7", "did you mean `pets get <id>`?"],
    ["version", "did you mean `pets --version`?"],
    ["config", "did you mean `pets profile`?"],
  ])("%s says what the API can do, or which command is meant", async (line, meaning) => {
    const [word] = line.split(" ");
    expect(await refusal(line)).toContain(`pets: unknown command "${word}"; ${meaning}`);
  });
});
