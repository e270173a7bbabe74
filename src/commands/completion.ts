import type { Command } from "commander";
import { type Shell, shells } from "../core/enums.ts";
import type { Context } from "./context.ts";
import { usageFailure } from "../core/errors.ts";
import { rootCommand } from "./commander-adapter.ts";
import type { CommandDefinition } from "./command.ts";

export const completion: CommandDefinition = {
  name: "completion",
  summary: "print the script that lets a shell complete pets",
  skipSettings: true,
  needsFullTree: true,
  configure(command, action) {
    command
      .usage(`[options] ${shells.join("|")}`)
      .argument("[shell]")
      .action(
        action((context, shell: string | undefined) =>
          runCompletion(context, shell, rootCommand(command)),
        ),
      );
  },
};

/** Prints the script for the shell called `text`. Throws a usage Failure. */
async function runCompletion(
  { stdout }: Context,
  text: string | undefined,
  root: Command,
): Promise<void> {
  const shell = await parseShell(text);
  const { completionScript } = await import("../completion/index.ts");
  const { topicNames } = await import("../help/index.ts");
  const topics = topicNames.map((name) => ({ name, description: "a help topic" }));
  await stdout.write(completionScript(shell, root, topics));
}

async function parseShell(text: string | undefined): Promise<Shell> {
  const found = shells.find((shell) => shell === text);
  if (found !== undefined) return found;
  const allowed = `one of ${shells.join(", ")}`;
  if (text === undefined)
    throw usageFailure(
      `SHELL is missing: it must be ${allowed}`,
      "as in `pets completion bash`; `echo $0` tells which shell this is",
      "see `pets completion --help`",
    );
  const { closestMatch } = await import("../core/strings.ts");
  const meant = text === "pwsh" ? "powershell" : closestMatch(text, shells);
  throw usageFailure(
    `SHELL must be ${allowed}, not ${JSON.stringify(text)}`,
    `did you mean ${meant}?`,
  );
}
