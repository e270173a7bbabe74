import type { NewPet, Pet } from "../core/pet.ts";
import { petStatuses } from "../core/enums.ts";
import { inputFormats } from "../core/enums.ts";
import type { Context } from "./context.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import { newPetColumns, petColumns } from "../output/columns.ts";
import { concurrency, type RawFromOptions, readFromOptions } from "./add-from/options.ts";
import { parseId, parseName, parseStatus } from "./arguments.ts";
import { askUntilValid, isInteractive } from "./ask.ts";
import { fieldNames, files, oneOf } from "../completion/values.ts";
import type { CommandDefinition } from "./command.ts";
import { openPrinter, type RecordPrinter } from "./print.ts";

/** The options of a single animal. */
interface SingleOptions {
  readonly name?: string;
  readonly category?: string;
  readonly status?: string;
  readonly dryRun?: boolean;
}

export const add: CommandDefinition = {
  name: "add",
  summary: "add an animal, or many from a file",
  options: [
    { flags: "--name <name>", description: "name of the animal" },
    { flags: "--category <id>", description: "id of the animal's category, an integer" },
    {
      flags: "--status <status>",
      description: `status of the animal: ${petStatuses.join(", ")}`,
      values: oneOf("statuses", petStatuses),
    },
    {
      flags: "--from <file>",
      description: "add all animals in a file, or in standard input with -",
      values: files,
      collects: true,
    },
    {
      flags: "--format <format>",
      description: `input format: ${inputFormats.join(", ")} (default: by extension or content)`,
      values: oneOf("input_formats", inputFormats),
    },
    {
      flags: "--map <column=field>",
      description: "use a column of another name for a field; may be repeated",
      collects: true,
    },
    {
      flags: "--concurrency <n>",
      description: `requests in flight, ${concurrency.min} to ${concurrency.max} (default ${concurrency.default})`,
    },
    { flags: "--ignore-unknown", description: "ignore fields that an animal does not have" },
    {
      flags: "--retry-unknown",
      description: "send rows with an unknown outcome again (may create duplicates)",
    },
    { flags: "--check-unknown", description: "look up rows with an unknown outcome, send nothing" },
    { flags: "--again", description: "send a finished file again (creates duplicates)" },
    { flags: "--only-new", description: "send only rows that no earlier file added" },
    { flags: "--resume", description: "continue a run although the store can't be identified" },
    { flags: "--dry-run", description: "check and print what would be sent, without sending it" },
  ],
  fields: fieldNames("pet_fields", petColumns),
  notes: [
    "One animal needs --name and --category; on a terminal, pets prompts for them.",
    "--from checks every row before it sends the first one, and records what it sends. Whatever interrupts the run, the same command continues it: see `pets help bulk`.",
  ],
  examples: [
    {
      line: "pets add --name Rex --category 1 --status available",
      stdout: /^\d+\s+Rex\s+1\s+available$/m,
    },
    { line: "id=$(pets add --name Rex --category 1 --quiet)", stdout: /^id=13$/ },
    {
      line: "pets add --from shelter.csv --dry-run",
      stdout: /Mia[^]*Leo/,
      afterwards: { "pets list --limit 1 -o tsv --fields name": /^name\nPet 12\n$/ },
    },
    {
      line: "pets add --from shelter.csv -o csv > outcome.csv",
      // Rows are sent concurrently: either may be added first, and either may end first.
      files: {
        "outcome.csv":
          /^line,outcome,id,name,categoryId,status,error\r\n(?=[^]*^2,added,1[34],Mia,1,available,\r$)(?=[^]*^3,added,1[34],Leo,2,,\r$)(?:.*\r\n){2}$/m,
      },
    },
    {
      line: "pets list -o ndjson | pets add --from - --profile other",
      afterwards: { "pets list --limit 100 --json": /^\[(?:\{[^{}]*\},?){24}\]\n$/ },
    },
  ],
  explainsExcess: true,
  run: runAdd,
};

async function runAdd(
  context: Context,
  options: SingleOptions & RawFromOptions,
  { args }: { readonly args: readonly string[] },
): Promise<void> {
  if (args.length > 0) throw await excessFailure(context, options, args);
  const from = readFromOptions(options, context.settings.fields !== undefined);
  if (from === undefined) return addOne(context, options);
  const { addFrom } = await import("./add-from/run.ts");
  return addFrom(context, from);
}

/** Returns the Failure of `pets add FILE`, with the command that was meant. */
async function excessFailure(
  { argv, program: { platform } }: Context,
  { name, category, from }: SingleOptions & RawFromOptions,
  args: readonly string[],
): Promise<Failure> {
  const [file = ""] = args;
  const what = `pets add takes no argument, such as ${JSON.stringify(file)}`;
  if ((name ?? category ?? from) !== undefined) return usageFailure(what, "see `pets add --help`");
  const { shellCommand } = await import("../core/shell-quote.ts");
  const at = argv.lastIndexOf(file);
  const words = argv.flatMap((word, i) => {
    if (i === at) return ["--from", word];
    return i > at && args.includes(word) ? [] : [word];
  });
  return usageFailure(
    `${what}; --from reads animals from a file`,
    `try \`${shellCommand(["pets", ...words], platform)}\``,
  );
}

/** Adds one animal (`POST /pets`) and prints it, or with `--quiet` only its id. */
async function addOne(context: Context, options: SingleOptions): Promise<void> {
  const pet = await readNewPet(context, options);
  if (options.dryRun) return printUnsent(context, pet);
  const printer = await openPrinter(context, petColumns);
  const api = await context.api();
  const added = await api.add(pet);
  try {
    await printAdded(context, printer, added);
  } catch (error) {
    throw error instanceof Failure ? addedButNotPrinted(error, added) : error;
  }
}

/** Prints what would be sent (contract.md, Commands, `--dry-run`); it has no id yet. */
async function printUnsent(context: Context, pet: NewPet): Promise<void> {
  const columns = context.settings.fields === undefined ? newPetColumns : petColumns;
  const printer = await openPrinter(context, columns);
  await printer.print([pet], { single: true });
  await context.note("Nothing was sent (--dry-run).");
}

async function printAdded(context: Context, printer: RecordPrinter, added: Pet): Promise<void> {
  const { quiet, formatAsked } = context.settings;
  if (quiet && !formatAsked) await context.stdout.write(`${added.id}\n`);
  else await printer.print([added], { single: true });
}

/** Returns a failure to print, with the new id; the same command would add another animal. */
function addedButNotPrinted({ kind, message, facts }: Failure, { id }: Pet): Failure {
  const what = `the animal was added with id ${id}, but ${message}`;
  return new Failure(kind, what, { ...facts, retryable: false });
}

async function readNewPet(context: Context, options: SingleOptions): Promise<NewPet> {
  const { name, category, status } = options;
  // All options are checked before the first prompt, so that no answer is wasted.
  const given = {
    name: name === undefined ? undefined : parseName(name, "--name"),
    categoryId: category === undefined ? undefined : parseId(category, "--category"),
    status: status === undefined ? undefined : await parseStatus(status, "--status"),
  };
  return {
    name: given.name ?? (await prompted(context, "name", parseName)),
    categoryId: given.categoryId ?? (await prompted(context, "category", parseId)),
    ...(given.status !== undefined && { status: given.status }),
  };
}

/** Returns the value of the missing option `--name`, prompted for on a terminal. Throws a usage Failure elsewhere. */
async function prompted<Value>(
  context: Context,
  name: string,
  parse: (text: string, name: string) => Value,
): Promise<Value> {
  if (!isInteractive(context)) throw usageFailure(`--${name} is missing`, "see `pets add --help`");
  return askUntilValid(context, `${name}: `, false, (answer) => parse(answer, `the ${name}`));
}
