import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { createProgram } from "../../../src/commands/index.ts";
import { commandTree, commandPath } from "../../../src/help/tree.ts";

/** Returns every command and subcommand by its words: `profile use`, and none for pets itself. */
export function commandsByPath(): ReadonlyMap<string, CommandUnknownOpts> {
  const all = commandTree(createProgram());
  return new Map(all.map((command) => [commandPath(command).replace(/^pets ?/, ""), command]));
}
