import { Command } from "commander";
import { addCommand } from "../../src/cli/commander-adapter.ts";
import type { CommandDefinition } from "../../src/commands/command.ts";

/** Returns what the `run` of a command gets for `words`. Throws commander's error, or a usage Failure. */
export async function readTyped(
  definition: CommandDefinition,
  words: readonly string[],
): Promise<object> {
  const found: { input(): Promise<object> }[] = [];
  const root = new Command("pets").exitOverride().configureOutput({ writeErr: () => {} });
  addCommand(root, definition, (each) => void found.push(each));
  root.parse([definition.name, ...words], { from: "user" });
  const [only] = found;
  if (only === undefined) throw new Error(`${words.join(" ")} runs nothing`);
  return only.input();
}
