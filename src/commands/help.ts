import type { Command } from "commander";
import type { Context } from "../context.ts";
import { usageFailure } from "../errors.ts";
import type { CommandDefinition } from "./definition.ts";
import { helpTopics } from "./help-topics.ts";

export const help: CommandDefinition = {
  name: "help",
  summary: "print the help of a command, or of a topic",
  withoutSettings: true,
  configure(command, action) {
    command
      .argument("[words...]", "a command or a topic; without it, the help of pets")
      .addHelpText("after", `\nTopics: ${Object.keys(helpTopics).join(", ")}`)
      .action(action((context, words: string[]) => runHelp(context, words, rootOf(command))));
  },
};

/** Prints the help that `words` name: a command's (`profile use`), or a topic's. */
async function runHelp({ stdout }: Context, words: string[], root: Command): Promise<void> {
  const [first = ""] = words;
  const topic = Object.hasOwn(helpTopics, first) ? helpTopics[first] : undefined;
  const text = topic !== undefined && words.length === 1 ? topic() : commandHelp(root, words);
  await stdout.write(text ?? (await failToFind(root, words)));
}

function commandHelp(root: Command, words: readonly string[]): string | undefined {
  let command: Command | undefined = root;
  for (const word of words) {
    command = command?.commands.find((candidate) => candidate.name() === word);
  }
  return command && helpText(command);
}

/** The whole help of `command`, with the texts that are added behind it. */
function helpText(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => parts.push(part) });
  command.outputHelp();
  return parts.join("");
}

async function failToFind(root: Command, words: readonly string[]): Promise<never> {
  const asked = words.join(" ");
  const names = [...root.commands.map((command) => command.name()), ...Object.keys(helpTopics)];
  const { nearest } = await import("../nearest.ts");
  throw usageFailure(
    `there is no command or topic ${JSON.stringify(asked)}`,
    `did you mean \`pets help ${nearest(asked, names)}\`?`,
  );
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
