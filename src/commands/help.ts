import { type CommandUnknownOpts } from "@commander-js/extra-typings";
import { usageFailure } from "../core/errors.ts";
import { unknownText } from "../core/strings.ts";
import { commandHelp } from "../help/command-help.ts";
import { isTopicName, topicNames } from "../help/topics/names.ts";
import { commandTree, findCommand, commandPath } from "../help/tree.ts";
import { isJson } from "../output/formats/index.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";
import { meaningElsewhere } from "./unknown-command.ts";

/** Returns `pets help`, which shows the help of what `createProgram` returns. */
export const help = (createProgram: () => CommandUnknownOpts) => (getContext: () => Context) =>
  newCommand("help", "show help for a command or a topic", {
    ignoresEnvironment: true,
    examples: ["pets help add", "pets help profile use", "pets help exit-codes"],
    notes:
      "Without a word it lists all commands and topics; with --json, commands, options, variables, exit codes and error codes are one JSON value, for programs.",
  })
    .usage("[options] [command | topic]")
    .argument("[command...]")
    .action((words) => runHelp(getContext(), createProgram(), words));

async function runHelp(
  context: Context,
  program: CommandUnknownOpts,
  words: readonly string[],
): Promise<void> {
  const { stdout, settings } = context;
  if (isJson(settings) && words.length === 0) {
    const { helpAsJson } = await import("../help/json.ts");
    return context.print(helpAsJson(program, context.program.version));
  }
  const command = findCommand(program, words);
  const topic = words.join(" ");
  if (isTopicName(topic)) {
    const { topicText } = await import("../help/topics/index.ts");
    await stdout.write(topicText(topic, stdout.columns));
    if (command !== undefined)
      await stdout.write(`\nThis is a topic; for the command, see \`pets ${topic} --help\`.\n`);
    return;
  }
  if (command !== undefined) return stdout.write(commandHelp(command, stdout.columns));
  const meaning = meaningElsewhere(topic);
  const commands = commandTree(program).map((each) => commandPath(each).replace("pets ", ""));
  const known = meaning === undefined ? [...commands, ...topicNames] : [];
  const unknown = unknownText("command or topic", topic, known);
  throw usageFailure(
    meaning === undefined ? unknown : `${unknown}; ${meaning}`,
    "See `pets help`.",
  );
}
