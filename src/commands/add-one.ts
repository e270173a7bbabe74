import { Failure, usageFailure } from "../core/errors.ts";
import type { PetStatus } from "../core/pet-fields.ts";
import type { NewPet, Pet } from "../core/pet.ts";
import { newPetColumns, petColumns } from "../output/columns.ts";
import { parsed, parseId, parseName } from "./arguments.ts";
import { askUntilValid, isInteractive } from "./ask.ts";
import type { Context } from "./context.ts";

/** The options of a single animal, and of both. */
export interface AnimalOptions {
  readonly name?: string;
  readonly category?: bigint;
  readonly status?: PetStatus;
  readonly dryRun?: boolean;
}

/** Adds one animal (`POST /pets`) and prints it, or with `--quiet` only its id. */
export async function addOne(context: Context, options: AnimalOptions): Promise<void> {
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
