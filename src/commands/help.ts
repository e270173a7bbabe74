import { usageFailure } from "../core/errors.ts";
import type { CommandPath } from "../help/sections.ts";
import { isTopicName, topicNames, topicSummaries } from "../help/topics/names.ts";
import { isJson } from "../output/formats/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";

export const help = defineCommand({
  name: "help",
  summary: "show help for a command or a topic",
  usage: "[options] [command | topic]",
  arguments: [
    {
      syntax: "[words...]",
      values: {
        kind: "commands",
        others: Object.entries(topicSummaries).map(([name, description]) => ({
          name,
          description,
        })),
      },
    },
  ],
  notes: [
    `Topics: ${topicNames.join(", ")}.`,
    "With --json, commands, options, variables, exit codes and error codes are one JSON value, for programs.",
  ],
  examples: [
    { line: "pets help add", stdout: /^Usage: pets add / },
    { line: "pets help profile use", stdout: /^Usage: pets profile use / },
    { line: "pets help exit-codes", stdout: /^EXIT CODES\n/ },
  ],
  skipSettings: true,
  run: runHelp,
});

/** Prints the help of what `words` name: a command (`profile use`), or a topic. */
async function runHelp(
  { stdout, commandLine, program, settings }: Context,
  { words }: { readonly words: readonly string[] },
): Promise<void> {
  if (isJson(settings) && words.length === 0) {
    const { helpAsJson } = await import("../help/json.ts");
    const { stringifyExact } = await import("../core/json/stringify.ts");
    const json = stringifyExact(
      await helpAsJson(commandLine, program.version),
      stdout.isTTY ? 2 : 0,
    );
    return stdout.write(`${json}\n`);
  }
  const { commandHelp, findCommand } = await import("../help/index.ts");
  const command = findCommand(commandLine, words);
  const topic = words.join(" ");
  if (isTopicName(topic)) {
    const { topicText } = await import("../help/topics/index.ts");
    await stdout.write(topicText(topic, stdout.columns));
    if (command !== undefined)
      await stdout.write(`\nThis is a topic; for the command, see \`pets ${topic} --help\`.\n`);
    return;
  }
  const path = command ?? (await failToFind([commandLine], words));
  await stdout.write(commandHelp(path, stdout.columns));
}

async function failToFind(program: CommandPath, words: readonly string[]): Promise<never> {
  const { pathsBelow, wordsOf } = await import("../help/index.ts");
  const { meaningOf } = await import("./unknown-command.ts");
  const asked = words.join(" ");
  const commands = pathsBelow(program).map((path) => wordsOf(path).replace("pets ", ""));
  const meaning = meaningOf(asked, [...commands, ...topicNames]);
  throw usageFailure(
    `unknown command or topic ${JSON.stringify(asked)}${meaning === undefined ? "" : `; ${meaning}`}`,
    "see `pets help`",
  );
}
