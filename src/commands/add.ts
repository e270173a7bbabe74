import { petStatuses } from "../core/enums.ts";
import { Failure, isCancelled, usageFailure } from "../core/errors.ts";
import { idSyntax, statusSyntax } from "../core/pet-fields.ts";
import type { NewPet, Pet } from "../core/pet.ts";
import { shellCommand } from "../core/shell-quote.ts";
import { newPetColumns, petColumns } from "../output/columns.ts";
import { type AddOptions, withImportOptions } from "./add-from/options.ts";
import { readingOptions } from "./add-from/reading-options.ts";
import { parseName, readText } from "./arguments.ts";
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
  ).action(async (words, options) => {
    const context = getContext();
    if (words.length > 0) throw unexpectedWords(context, words, options);
    try {
      await addAll(context, options);
    } catch (error) {
      throw withNothingSent(error);
    }
  });

/** Adds the animals of a file, or one. */
async function addAll(context: Context, { from, ...options }: AddOptions): Promise<void> {
  if (from === undefined) return addOne(context, options);
  if (context.settings.fields !== undefined)
    throw usageFailure("--fields and --from cannot be used together");
  const { addFrom, withMapping } = await import("./add-from/import-file.ts");
  return addFrom(context, withMapping({ ...options, from }));
}

/** Says of what a user ended before anything was sent, or was added, that nothing was. */
function withNothingSent(error: unknown): unknown {
  if (!(error instanceof Failure) || /[;:]/.test(error.message)) return error;
  if (!isCancelled(error) && !error.message.startsWith("end of input")) return error;
  return error.with({}, `${error.message}; nothing was ${error.facts.attempts ? "added" : "sent"}`);
}

/** Returns the failure of words that no option takes, with what they are likely to mean: a file, or the name. */
function unexpectedWords(
  { commandHere, program }: Context,
  words: readonly string[],
  { name, category, status, from, dryRun }: AddOptions,
): Failure {
  const [word = ""] = words;
  const what = `unexpected argument ${JSON.stringify(word)}`;
  const typed = name ?? from;
  if (typed !== undefined) {
    const whole = [name === undefined ? "--from" : "--name", [typed, ...words].join(" ")];
    const quoted = shellCommand(whole, program.platform);
    return usageFailure(`${what}; quote a value that contains spaces: \`${quoted}\``);
  }
  const isFile = category === undefined && /[./\\]|^-$/.test(word);
  const [flag, means] = isFile
    ? ["--from", "`--from` reads animals from a file"]
    : ["--name", "the name is given with `--name`"];
  const others = isFile ? [] : ["--category", String(category ?? "<id>")];
  if (status !== undefined) others.push("--status", status);
  const meant = commandHere("add", flag, word, ...others, ...(dryRun ? ["--dry-run"] : []));
  return usageFailure(`${what}; ${means}`, `Try \`${meant.replace(/["'](<id>)["']/, "$1")}\`.`);
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
  if (isAsked && !options.dryRun) {
    await context.service.target();
    await context.note("An animal cannot be changed or deleted once it is added.");
  }
  const pet = {
    name: name ?? (await prompted(context, "name", "", parseName)),
    categoryId:
      category ??
      (await prompted(context, "category", " (a number)", (what, text) =>
        readText(what, idSyntax, text.trim()),
      )),
  };
  const choices = ` (${petStatuses.join(", ")}, or Enter for none)`;
  const chosen =
    status ??
    (isAsked &&
      (await prompted(context, "status", choices, (what, text) =>
        readText(what, statusSyntax, text.trim() || undefined),
      )));
  return chosen ? { ...pet, status: chosen } : pet;
}

/** Returns the value of the missing option `--name`, prompted for on a terminal. Throws a usage Failure elsewhere. */
async function prompted<Value>(
  context: Context,
  name: string,
  takes: string,
  parse: (what: string, text: string) => Value,
): Promise<Value> {
  if (!isInteractive(context))
    throw usageFailure(
      `--${name} is missing`,
      context.stdin.isTTY || name !== "name"
        ? "See `pets add --help`."
        : `To add the animals in standard input: \`${context.commandHere("add", "--from", "-")}\`.`,
    );
  const prompt = `${name.charAt(0).toUpperCase()}${name.slice(1)}${takes}: `;
  return askUntilValid(context, prompt, { keepsPaste: true }, (answer) => {
    if (answer.includes("\n"))
      throw usageFailure(`${name} ${JSON.stringify(answer)} must be on one line`);
    return parse(name, answer);
  });
}
