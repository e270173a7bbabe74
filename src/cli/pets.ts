import type { ProgramDefinition } from "../commands/command.ts";
import { commands } from "../commands/index.ts";
import { settingOptions } from "../config/settings.ts";
import { topicSummaries } from "../help/topics/names.ts";
import { petColumns } from "../output/columns.ts";

export const versionFlags = "-V, --version";
export const helpFlags = "-h, --help";

/** The options of every command, in the order of the help. */
export const globalOptions = [
  ...settingOptions("all"),
  { flags: versionFlags, description: "print the version" },
  { flags: helpFlags, description: "show help" },
];

/** The program itself: what `pets` without a command accepts, and its help. */
export const pets: ProgramDefinition = {
  name: "pets",
  summary: "list, add and fetch animals of the Animal Adoption Store",
  subcommands: commands,
  globalOptions,
  topics: topicSummaries,
  columns: petColumns,
  notes: [
    "Run `pets serve` for a local store to experiment with, or `pets login` to use an existing service.",
    "A duration is a number of seconds, or a number with ms, s, m or h, such as 90, 500ms or 3m.",
    "`pets help <name>` shows a command or a topic.",
  ],
  examples: [
    {
      line: "pets list --status available",
      stdout: /^ID +NAME +CATEGORY +STATUS\n(?:.+\n){4}$/,
    },
    {
      line: "pets add --name Rex --category 1",
      stdout: /Rex/,
      afterwards: { "pets list --limit 1 -o tsv --fields name": /^name\nRex\n$/ },
    },
    { line: "pets serve --memory --seed 24 -- pets list", stdout: /^(?:.+\n){21}$/ },
  ],
};
