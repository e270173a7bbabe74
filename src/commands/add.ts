import { InvalidArgumentError } from "@commander-js/extra-typings";
import { Failure, usageFailure } from "../core/errors.ts";
import type { NewPet, Pet } from "../core/pet.ts";
import { newPetColumns, petColumns } from "../output/columns.ts";
import { type AddOptions, withImportOptions } from "./add-from/options.ts";
import { readingOptions } from "./add-from/reading-options.ts";
import { parseId, parseName, parseStatus } from "./arguments.ts";
import { askUntilValid, isInteractive } from "./ask.ts";
import type { Context } from "./context.ts";
import { newCommand } from "./new-command.ts";

export const add = (getContext: () => Context) =>
  withImportOptions(
    newCommand("add", "add an animal, or many from a file", {
      columns: petColumns,
      examples: [
        "pets add --name Rex --category 1 --status available",
        "id=$(pets add --name Rex --category 1 --quiet)",
        "pets add --from shelter.csv --dry-run",
        "pets add --from shelter.csv -o csv > outcome.csv",
        "pets list -o ndjson | pets add --from - --profile other",
      ],
      notes: `One animal needs --name and --category; on a terminal, pets prompts for them. An animal cannot be changed or deleted once it is added.

--from checks every row before it sends the first one, and records what it sends. If it is interrupted, run the same command (after questions, the one that it printed) to resume: see \`pets help import\`.`,
    })
      .usage("[options]")
      // Declared only to suggest what was meant.
      .argument("[words...]")
      .addOption(readingOptions.name)
      .addOption(readingOptions.category)
      .addOption(readingOptions.status)
      .option("--dry-run", "check and print what would be sent, without sending it"),
  ).action(async ([word], options) => {
    const context = getContext();
    const { from } = options;
    if (word !== undefined) throw unexpectedWord(context, word, options);
    if (from === undefined) return addOne(context, options);
    if (context.settings.fields !== undefined)
      throw usageFailure("--fields and --from cannot be used together");
    const { addFrom, withMapping } = await import("./add-from/import-file.ts");
    return addFrom(context, withMapping({ ...options, from }));
  });

/** Returns the failure of a word that no option takes, with what it is likely to mean: a file, or the name. */
function unexpectedWord({ commandHere }: Context, word: string, options: AddOptions): Failure {
  const { name, category, from, dryRun } = options;
  const what = `unexpected argument ${JSON.stringify(word)}`;
  if ((name ?? from) !== undefined) return usageFailure(what, "See `pets add --help`.");
  const isFile = category === undefined && /[./\\]|^-$/.test(word);
  const flag = isFile ? "--from" : "--name";
  const others = isFile ? [] : ["--category", String(category ?? "<id>")];
  const meant = commandHere("add", flag, word, ...others, ...(dryRun ? ["--dry-run"] : []));
  return usageFailure(
    `${what}; ${isFile ? "--from reads animals from a file" : "the name is given with --name"}`,
    `Try \`${meant.replace(/["'](<id>)["']/, "$1")}\`.`,
  );
}

/** Adds one animal (`POST /pets`) and prints it, or with `--quiet` only its id. */
async function addOne(context: Context, options: AddOptions): Promise<void> {
  const pet = await readNewPet(context, options);
  if (options.dryRun) {
    // It has no id yet, which `--fields` may name.
    const isWhole = context.settings.fields === undefined;
    await context.print(pet, isWhole ? { columns: newPetColumns } : {});
    return context.note("Nothing was sent (--dry-run).");
  }
  const added = await send(context, pet);
  try {
    await context.print(added, { quiet: String(added.id) });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const what = `the animal was added with id ${added.id}, but ${error.message}`;
    // The same command would add another animal.
    throw error.with({ retryable: false, pet }, what);
  }
}

/** Adds `pet`, which a Failure names: others may be added at the same time. */
async function send({ service }: Context, pet: NewPet): Promise<Pet> {
  try {
    return await (await service.api()).add(pet);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.with({ pet });
  }
}

/** Returns the animal that the options describe; on a terminal prompts for what is missing. */
async function readNewPet(context: Context, options: AddOptions): Promise<NewPet> {
  const { name, category, status } = options;
  const isAsked = isInteractive(context) && (name === undefined || category === undefined);
  // A missing key is reported before anything is typed.
  if (isAsked && !options.dryRun) await context.service.target();
  const pet = {
    name: name ?? (await prompted(context, "name", parseName)),
    categoryId: category ?? (await prompted(context, "category", parseId)),
  };
  const chosen =
    status ??
    (isAsked &&
      (await prompted(context, "status", parseOptionalStatus, "status (Enter for none)")));
  return chosen ? { ...pet, status: chosen } : pet;
}

const parseOptionalStatus = (text: string) => text.trim() && parseStatus(text.trim());

/** Returns the value of the missing option `--name`, prompted for on a terminal. Throws a usage Failure elsewhere. */
async function prompted<Value>(
  context: Context,
  name: string,
  parse: (text: string) => Value,
  prompt = name,
): Promise<Value> {
  if (!isInteractive(context))
    throw usageFailure(
      `--${name} is missing`,
      context.stdin.isTTY
        ? "See `pets add --help`."
        : `To add the animals in standard input: \`${context.commandHere("add", "--from", "-")}\`.`,
    );
  return askUntilValid(context, `${prompt}: `, false, (answer) => {
    try {
      return parse(answer);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      // In commander's words.
      throw usageFailure(`the ${name} '${answer}' is invalid. ${error.message}`);
    }
  });
}
