import { commands } from "../commands/index.ts";
import type { ProgramDefinition } from "../commands/command.ts";
import { fieldNames } from "../completion/values.ts";
import { topicNames } from "../help/topics/names.ts";
import { petColumns } from "../output/columns.ts";
import { globalOptions } from "./global-options.ts";

/** The program itself: what `pets` without a command takes, and its help. */
export const pets: ProgramDefinition = {
  name: "pets",
  summary: "list, add and fetch the animals of the Animal Adoption Store",
  subcommands: commands,
  globalOptions,
  fields: fieldNames("pet_fields", petColumns),
  notes: [
    "With `pets serve` you have a store of your own to try all this on; with another service begin with `pets login`.",
    "A duration is a number of seconds, or a number with ms, s, m or h, as in 90, 500ms or 3m.",
    `More: \`pets help <command>\`, and \`pets help <topic>\` with ${topicNames.join(", ")}.`,
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
