import { Command, Option } from "@commander-js/extra-typings";
import { petStatuses } from "../core/enums.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import type { PetStatus } from "../core/pet-fields.ts";
import type { NewPet, Pet } from "../core/pet.ts";
import { examples } from "../help/command-help.ts";
import { newPetColumns, petColumns } from "../output/columns.ts";
import { action } from "./action.ts";
import { type ImportOptions, withImportOptions } from "./add-from/options.ts";
import { parsed, parseId, parseName } from "./arguments.ts";
import { askUntilValid, isInteractive } from "./ask.ts";
import type { Context } from "./context.ts";

/** The options of a single animal, and of both. */
interface AnimalOptions {
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
  readonly dryRun?: boolean;
}

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
  if (words.length > 0) throw await excessFailure(context, words, isBare);
  if (from === undefined) return addOne(context, options);
  if (context.settings.fields !== undefined)
    throw usageFailure("--fields and --from cannot be used together");
  const { addFrom } = await import("./add-from/import-file.ts");
  return addFrom(context, { ...options, from });
}

/** Returns the Failure of `pets add FILE`, with the command that was meant if nothing else was said. */
async function excessFailure(
  { argv, program: { platform } }: Context,
  words: readonly string[],
  isBare: boolean,
): Promise<Failure> {
  const [file = ""] = words;
  const what = `unexpected argument ${JSON.stringify(file)}`;
  if (!isBare) return usageFailure(what, "See `pets add --help`.");
  const { shellCommand } = await import("../core/shell-quote.ts");
  const at = argv.lastIndexOf(file);
  const meant = argv.flatMap((word, i) => {
    if (i === at) return ["--from", word];
    return i > at && words.includes(word) ? [] : [word];
  });
  return usageFailure(
    `${what}; --from reads animals from a file`,
    `Try \`${shellCommand(["pets", ...meant], platform)}\`.`,
  );
}

/** Adds one animal (`POST /pets`) and prints it, or with `--quiet` only its id. */
async function addOne(context: Context, options: AnimalOptions): Promise<void> {
  const pet = await readNewPet(context, options);
  if (options.dryRun) return printUnsent(context, pet);
  const api = await context.api();
  const added = await api.add(pet);
  const { quiet, formatAsked } = context.settings;
  try {
    if (quiet && !formatAsked) await context.stdout.write(`${added.id}\n`);
    else await context.print(added, petColumns);
  } catch (error) {
    throw error instanceof Failure ? addedButNotPrinted(error, added) : error;
  }
}

/** Prints what would be sent with `--dry-run`; it has no id yet. */
async function printUnsent(context: Context, pet: NewPet): Promise<void> {
  await context.print(pet, context.settings.fields === undefined ? newPetColumns : petColumns);
  await context.note("Nothing was sent (--dry-run).");
}

/** Returns a failure to print, with the new id; the same command would add another animal. */
function addedButNotPrinted({ kind, message, facts }: Failure, { id }: Pet): Failure {
  const what = `the animal was added with id ${id}, but ${message}`;
  return new Failure(kind, what, { ...facts, retryable: false });
}

/** Returns the animal that the options describe; on a terminal prompts for what is missing. */
async function readNewPet(context: Context, options: AnimalOptions): Promise<NewPet> {
  const { name, category, status } = options;
  const isAsked = isInteractive(context) && (name === undefined || category === undefined);
  // A missing key is reported before anything is typed.
  if (isAsked && !options.dryRun) await context.connectionTarget();
  return {
    name: name ?? (await prompted(context, "name", parseName)),
    categoryId: category ?? (await prompted(context, "category", parseId)),
    ...(status && { status }),
  };
}

/** Returns the value of the missing option `--name`, prompted for on a terminal. Throws a usage Failure elsewhere. */
async function prompted<Value>(
  context: Context,
  name: string,
  parse: (text: string) => Value,
): Promise<Value> {
  if (!isInteractive(context)) throw usageFailure(`--${name} is missing`, "See `pets add --help`.");
  return askUntilValid(context, `${name}: `, false, (answer) =>
    parsed(`the ${name}`, answer, parse),
  );
}
