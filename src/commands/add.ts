import { Command, Option } from "@commander-js/extra-typings";
import { petStatuses } from "../core/enums.ts";
import { usageFailure } from "../core/errors.ts";
import { examples } from "../help/command-help.ts";
import { petColumns } from "../output/columns.ts";
import { action } from "./action.ts";
import { type ImportOptions, withImportOptions } from "./add-from/options.ts";
import { addOne, type AnimalOptions } from "./add-one.ts";
import { parseId, parseName } from "./arguments.ts";
import type { Context } from "./context.ts";
import { misplacedFile } from "./unknown-command.ts";

export const add = () =>
  withImportOptions(
    new Command("add")
      .summary("add an animal, or many from a file")
      .usage("[options]")
      // Declared only to suggest what was meant.
      .argument("[words...]")
      .option("--name <name>", "name of the animal", parseName)
      .option("--category <id>", "id of the animal's category, an integer", parseId)
      .addOption(new Option("--status <status>", "status of the animal").choices(petStatuses))
      .option("--dry-run", "check and print what would be sent, without sending it"),
  )
    .configureHelp({ columns: petColumns })
    .addHelpText(
      "after",
      `
One animal needs --name and --category; on a terminal, pets prompts
for them.

--from checks every row before it sends the first one, and records
what it sends. If it is interrupted, run the same command to resume:
see \`pets help import\`.`,
    )
    .addHelpText(
      "after",
      examples(
        "pets add --name Rex --category 1 --status available",
        "id=$(pets add --name Rex --category 1 --quiet)",
        "pets add --from shelter.csv --dry-run",
        "pets add --from shelter.csv -o csv > outcome.csv",
        "pets list -o ndjson | pets add --from - --profile other",
      ),
    )
    .action(action(runAdd));

async function runAdd(
  context: Context,
  words: readonly string[],
  { from, ...options }: AnimalOptions & ImportOptions,
): Promise<void> {
  const isBare = (options.name ?? options.category ?? from) === undefined;
  if (words.length > 0) throw await misplacedFile(context, words, isBare);
  if (from === undefined) return addOne(context, options);
  if (context.settings.fields !== undefined)
    throw usageFailure("--fields and --from cannot be used together");
  const { addFrom } = await import("./add-from/import-file.ts");
  return addFrom(context, { ...options, from });
}
