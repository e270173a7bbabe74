import type { NewPet, Pet } from "../core/pet.ts";
import { petStatuses } from "../core/enums.ts";
import { inputFormats } from "../core/enums.ts";
import type { Context } from "./context.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import { petColumns } from "../output/columns.ts";
import { concurrency, type RawFromOptions, readFromOptions } from "./add-from/options.ts";
import { appendValue, isInteractive, parseId, parseName, parseStatus } from "./arguments.ts";
import type { CommandDefinition } from "./command.ts";
import { selectFields, printRecords } from "./print.ts";

/** The flags of one animal. */
interface SingleOptions {
  readonly name?: string;
  readonly category?: string;
  readonly status?: string;
}

export const add: CommandDefinition = {
  name: "add",
  summary: "add an animal, or many from a file",
  configure(command, action) {
    command
      .option("--name <name>", "the animal's name")
      .option("--category <id>", "the id of its category, a whole number")
      .option("--status <status>", petStatuses.join(", "))
      .option(
        "--from <file>",
        "add all animals of a file, or with - of standard input",
        appendValue,
      )
      .option("--format <format>", `how the file is written: ${inputFormats.join(", ")}`)
      .option(
        "--concurrency <n>",
        `this many at a time, 1 to ${concurrency.max} (default ${concurrency.default})`,
      )
      .option("--ignore-unknown", "leave out fields that an animal does not have")
      .option("--retry-unknown", "send again what may have been added by an earlier run")
      .option("--again", "start a finished file anew")
      .option("--dry-run", "check the file, and print what would be sent")
      .action(action(runAdd));
  },
};

async function runAdd(context: Context, options: SingleOptions & RawFromOptions): Promise<void> {
  const from = readFromOptions(options, context.settings.fields !== undefined);
  if (from === undefined) return addOne(context, options);
  const { addFrom } = await import("./add-from/run.ts");
  return addFrom(context, from);
}

/** Adds one animal (`POST /pets`) and prints it, or with `--quiet` its id alone. */
async function addOne(context: Context, options: SingleOptions): Promise<void> {
  const pet = await readNewPet(context, options);
  await selectFields(context, petColumns);
  const api = await context.api();
  const added = await api.add(pet);
  try {
    await printAdded(context, added);
  } catch (error) {
    throw error instanceof Failure ? addedButNotPrinted(error, added) : error;
  }
}

async function printAdded(context: Context, added: Pet): Promise<void> {
  const { quiet, formatAsked } = context.settings;
  if (quiet && !formatAsked) await context.stdout.write(`${added.id}\n`);
  else await printRecords(context, [added], petColumns, { single: true });
}

/** `failure` to print, with what must not be lost: whoever gives the command again adds another. */
function addedButNotPrinted({ kind, message, facts }: Failure, { id }: Pet): Failure {
  const what = `the animal was added with id ${id}, but ${message}`;
  return new Failure(kind, what, { ...facts, retryable: false });
}

async function readNewPet(context: Context, options: SingleOptions): Promise<NewPet> {
  const { status } = options;
  const name = parseName(await valueOrPrompt(context, options.name, "--name"), "--name");
  const category = await valueOrPrompt(context, options.category, "--category");
  return {
    name,
    categoryId: parseId(category, "--category"),
    ...(status !== undefined && { status: await parseStatus(status, "--status") }),
  };
}

/** The value of a flag, asked for where someone sits at a terminal. Throws a usage Failure else. */
async function valueOrPrompt(
  context: Context,
  value: string | undefined,
  flag: string,
): Promise<string> {
  if (value !== undefined) return value;
  const { stdin, signal } = context;
  if (!isInteractive(context)) throw usageFailure(`${flag} is missing`, "see `pets add --help`");
  return stdin.ask(`${flag.slice(2)}: `, { hidden: false, signal });
}
