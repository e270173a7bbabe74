import type { Command } from "commander";
import type { Context } from "./context.ts";
import { usageFailure } from "../core/errors.ts";
import { rootCommand } from "./commander-adapter.ts";
import type { CommandDefinition } from "./command.ts";

export const help: CommandDefinition = {
  name: "help",
  summary: "print the help of a command, or of a topic",
  skipSettings: true,
  needsFullTree: true,
  configure(command, action) {
    command
      .usage("[options] [command | topic]")
      .argument("[words...]")
      .action(action((context, words: string[]) => runHelp(context, words, rootCommand(command))));
  },
};

/** Prints the help that `words` name: a command's (`profile use`), or a topic's. */
async function runHelp({ stdout }: Context, words: string[], root: Command): Promise<void> {
  const { topicText } = await import("../help/index.ts");
  const topic = words.length === 1 ? topicText(words[0] ?? "", stdout.columns) : undefined;
  await stdout.write(topic ?? (await textOfCommand(root, words, stdout.columns)));
}

async function textOfCommand(
  root: Command,
  words: readonly string[],
  columns: number | undefined,
): Promise<string> {
  let command: Command | undefined = root;
  for (const word of words) {
    command = command?.commands.find((candidate) => candidate.name() === word);
  }
  if (command === undefined) return failToFind(root, words);
  const { commandHelp } = await import("../help/index.ts");
  return commandHelp(command, columns);
}

async function failToFind(root: Command, words: readonly string[]): Promise<never> {
  const asked = words.join(" ");
  const { topicNames } = await import("../help/index.ts");
  const { closeMatch } = await import("../core/strings.ts");
  const meant = closeMatch(asked, [...pathsBelow(root), ...topicNames]);
  throw usageFailure(
    `there is no command or topic ${JSON.stringify(asked)}`,
    ...(meant === undefined ? [] : [`did you mean \`pets help ${meant}\`?`]),
    "see `pets help`",
  );
}

/** The words that lead to each command below `command`: `profile`, `profile use`. */
function pathsBelow({ commands }: Command): readonly string[] {
  return commands.flatMap((child) => [
    child.name(),
    ...pathsBelow(child).map((path) => `${child.name()} ${path}`),
  ]);
}
