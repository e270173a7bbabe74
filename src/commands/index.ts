import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { addGlobalOptions } from "../config/settings.ts";
import { textBelow, termLines } from "../help/command-help.ts";
import { everydayTopics, storeTopics } from "../help/topics/names.ts";
import { petColumns } from "../output/columns.ts";
import { add } from "./add.ts";
import { completion } from "./completion.ts";
import type { Context } from "./context.ts";
import { get } from "./get.ts";
import { help } from "./help.ts";
import { imports } from "./imports/command.ts";
import { keys } from "./keys/command.ts";
import { limits } from "./limits.ts";
import { list } from "./list.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { profile } from "./profile/command.ts";
import { serve } from "./serve/command.ts";
import { status } from "./status.ts";
import { store } from "./store/command.ts";

type Commands = Readonly<Record<string, (getContext: () => Context) => CommandUnknownOpts>>;

/** The subcommands, in the order and groups of the help. */
const groups: Readonly<Record<string, Commands>> = {
  "Animals:": { list, add, get, imports },
  "Setup:": { login, status, profile, limits, logout, completion, help: help(createProgram) },
  "For local stores and tests:": { serve, store, keys },
};

/** Throws an internal error: what is only described, or refused, has no context. */
export function noContext(): never {
  throw new Error("no command runs");
}

/** Returns the program with all its commands, which run in the context, or with that called `only` if it has one. */
export function createProgram(
  getContext: () => Context = noContext,
  only?: string,
): CommandUnknownOpts {
  const program = new Command("pets").description(
    "List, add and fetch animals of the Animal Adoption Store.",
  );
  const isKnown = Object.values(groups).some((commands) => Object.hasOwn(commands, only ?? ""));
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const [name, create] of Object.entries(commands))
      if (!isKnown || name === only) program.addCommand(create(getContext));
  }
  addGlobalOptions(program);
  return program
    .configureHelp({
      columns: petColumns,
      examples: [
        "pets list --status available",
        "pets add --name Rex --category 1",
        "pets serve --memory --seed 24 -- pets list",
      ],
      notes,
    })
    .addHelpText("afterAll", textBelow);
}

const notes = `Help topics:

${termLines({ ...everydayTopics, [Object.keys(storeTopics).join(", ")]: "for local stores and tests" })}

Run \`pets serve\` for a local store to experiment with, or \`pets login\` to use an existing service.

A duration is a number of seconds, or a number with ms, s, m or h, such as 90, 500ms or 3m.

\`pets help <name>\` shows a command or a topic.`;
