import { oneOf, type OptionDefinition } from "../core/command-line.ts";
import { petStatuses } from "../core/enums.ts";
import { Failure, usageFailure } from "../core/errors.ts";
import type { NewPetField } from "../core/pet-fields.ts";
import type { NewPet, Pet } from "../core/pet.ts";
import { newPetColumns, petColumns } from "../output/columns.ts";
import { type ImportOptions, importOptions } from "./add-from/options.ts";
import { parseId, parseName } from "./arguments.ts";
import { askUntilValid, isInteractive } from "./ask.ts";
import { defineCommand, type InputOf } from "./command.ts";
import type { Context } from "./context.ts";
import { openPrinter, type RecordPrinter } from "./print.ts";

/** The options of a single animal, and of both. */
const animalOptions = [
  { flags: "--name <name>", description: "name of the animal", parse: parseName },
  {
    flags: "--category <id>",
    description: "id of the animal's category, an integer",
    parse: parseId,
  },
  {
    flags: "--status <status>",
    description: `status of the animal: ${petStatuses.join(", ")}`,
    values: oneOf(petStatuses),
  },
  { flags: "--dry-run", description: "check and print what would be sent, without sending it" },
] as const satisfies readonly OptionDefinition[];

type SingleOptions = InputOf<typeof animalOptions>;

export const add = defineCommand({
  name: "add",
  summary: "add an animal, or many from a file",
  options: [...animalOptions, ...importOptions],
  // Taken only to say what was meant.
  arguments: [{ syntax: "[words...]", hidden: true }],
  columns: petColumns,
  notes: [
    "One animal needs --name and --category; on a terminal, pets prompts for them.",
    "--from checks every row before it sends the first one, and records what it sends. If it is interrupted, run the same command to resume: see `pets help bulk`.",
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
  run: runAdd,
});

async function runAdd(
  context: Context,
  {
    words,
    from,
    ...options
  }: SingleOptions & ImportOptions & { readonly words: readonly string[] },
): Promise<void> {
  if (words.length > 0) throw await excessFailure(context, { ...options, from }, words);
  if (from === undefined) return addOne(context, options);
  if (context.settings.fields !== undefined)
    throw usageFailure("--fields and --from cannot be used together");
  const { addFrom } = await import("./add-from/import-file.ts");
  return addFrom(context, { ...options, from });
}

/** Returns the Failure of `pets add FILE`, with the command that was meant. */
async function excessFailure(
  { argv, program: { platform } }: Context,
  {
    name,
    category,
    from,
  }: { readonly name?: string; readonly category?: bigint; readonly from: string | undefined },
  words: readonly string[],
): Promise<Failure> {
  const [file = ""] = words;
  const what = `pets add takes no argument, such as ${JSON.stringify(file)}`;
  if ((name ?? category ?? from) !== undefined) return usageFailure(what, "see `pets add --help`");
  const { shellCommand } = await import("../core/shell-quote.ts");
  const at = argv.lastIndexOf(file);
  const meant = argv.flatMap((word, i) => {
    if (i === at) return ["--from", word];
    return i > at && words.includes(word) ? [] : [word];
  });
  return usageFailure(
    `${what}; --from reads animals from a file`,
    `try \`${shellCommand(["pets", ...meant], platform)}\``,
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

/** Prints what would be sent with `--dry-run`; it has no id yet. */
async function printUnsent(context: Context, pet: NewPet): Promise<void> {
  const columns = context.settings.fields === undefined ? newPetColumns : petColumns;
  const printer = await openPrinter(context, columns);
  await printer.print(pet);
  await context.note("Nothing was sent (--dry-run).");
}

async function printAdded(context: Context, printer: RecordPrinter, added: Pet): Promise<void> {
  const { quiet, formatAsked } = context.settings;
  if (quiet && !formatAsked) await context.stdout.write(`${added.id}\n`);
  else await printer.print(added);
}

/** Returns a failure to print, with the new id; the same command would add another animal. */
function addedButNotPrinted({ kind, message, facts }: Failure, { id }: Pet): Failure {
  const what = `the animal was added with id ${id}, but ${message}`;
  return new Failure(kind, what, { ...facts, retryable: false });
}

/** Returns the animal that the options describe; on a terminal prompts for what is missing. */
async function readNewPet(context: Context, options: SingleOptions): Promise<NewPet> {
  const { name, category, status } = options;
  const isAsked = isInteractive(context) && (name === undefined || category === undefined);
  // A missing key is reported before anything is typed.
  if (isAsked && !options.dryRun) await context.connectionTarget();
  return newPet({
    name: name ?? (await prompted(context, "name", parseName)),
    categoryId: category ?? (await prompted(context, "category", parseId)),
    status,
  });
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

/**
 * Returns an animal of all its fields, without those that are undefined. The compiler names a field that is
 * forgotten.
 */
function newPet({
  name,
  categoryId,
  ...optional
}: { readonly [Field in NewPetField]-?: NewPet[Field] | undefined } & Pick<
  NewPet,
  "name" | "categoryId"
>): NewPet {
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { name, categoryId, ...Object.fromEntries(given) };
}
