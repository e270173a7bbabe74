import { formatCount, plural } from "../../core/format.ts";
import type { NewPet } from "../../core/pet.ts";
import type { Flags } from "../../imports/types.ts";
import { newPetColumns } from "../../output/columns.ts";
import type { Prompts } from "../../platform/io.ts";
import { showTable } from "./display/sample.ts";
import { nextCommand } from "./display/summary.ts";
import { findHere, sentRows } from "./dry-run.ts";
import type { ImportJob } from "./job.ts";
import { keepMapping, whyNoMapping } from "./mapping.ts";
import type { FromOptions } from "./options.ts";
import { readFlags } from "./reading-options.ts";

/** A job that asks on the terminal. */
export type Guide = ImportJob & { readonly prompts: Prompts };

/** Asks for Yes or No; No is offered. */
export const confirm = ({ prompts }: Guide, question: string): Promise<boolean> =>
  prompts.select(
    question,
    [false, true].map((value) => ({ name: value ? "Yes" : "No", value })),
    false,
  );

const maxShown = 5;

/**
 * Shows what will be sent of a file that is understood, keeps the answers if that is wanted, and asks. Returns the job to
 * go on with; undefined if nothing is to be sent.
 */
export async function confirmSend(
  job: Guide,
  given: FromOptions,
  storeId: string | undefined,
): Promise<ImportJob | undefined> {
  const { context, source, rows, invalid, repeated } = job;
  const { note } = context;
  // What earlier files added is left out, unless it is to be sent again.
  Object.assign(job, { options: { ...job.options, onlyNew: given.again !== true } });
  const recorded = await findHere(job, storeId);
  const { known = 0, changed = 0, doubtful = 0 } = recorded.known ?? {};
  if (known === 0)
    Object.assign(job, { options: { ...job.options, onlyNew: given.onlyNew === true } });
  const isSent = sentRows(job, recorded);
  const shown: NewPet[] = [];
  let count = 0;
  for await (const batch of source.rows())
    for (const { pet } of batch.filter(isSent)) if (count++ < maxShown) shown.push(pet);
  if (count > 0) await note("The first animals as they will be sent:");
  if (count > 0) await showTable(job, shown, newPetColumns);
  await note(`Valid: ${formatCount(rows - invalid)} of ${plural(rows, "row")}.`);
  const file = await askMappingFile(job, given);
  job.next = nextCommand(
    { ...context, argv: argvFor(context.argv, job.options, given, { file, hasKnown: known > 0 }) },
    false,
  );
  await note(`The same without questions: ${job.next()}`);
  const done = rows - invalid - repeated - known - count;
  const why = [
    [known - changed - doubtful, "was added earlier", "were added earlier"],
    [doubtful, "may have been added earlier"],
    [changed, "was changed since it was added", "were changed since they were added"],
    [done, "was sent by an earlier run", "were sent by an earlier run"],
    [invalid, "was left out as invalid", "were left out as invalid"],
    [repeated, "was left out for a repeated key", "were left out for a repeated key"],
  ] as const;
  const reasons = why
    .filter(([some]) => some > 0)
    .map(([some, one, many = one]) => `${formatCount(some)} ${some === 1 ? one : many}.`);
  const question = `Send ${plural(count, known > 0 ? "new animal" : "animal")}?`;
  const forGood = `${count === 1 ? "It" : "They"} cannot be changed or deleted later.`;
  if (
    given.dryRun ||
    count === 0 ||
    (await confirm(job, [question, ...reasons, forGood].join(" ")))
  )
    return job;
  job[Symbol.dispose]();
  await note("Nothing was sent.");
  return undefined;
}

/** Returns the words of the command with the answers, or the mapping that has them, and without what they replaced. */
export function argvFor(
  argv: readonly string[],
  options: FromOptions,
  given: FromOptions,
  { file, hasKnown }: { readonly file?: string | undefined; readonly hasKnown?: boolean } = {},
): readonly string[] {
  const { mapping, skipInvalid, onlyNew } = given;
  const isOther = file !== undefined && mapping !== undefined && file !== mapping;
  const stale = [...flagsBeyond(given, options), ...(isOther ? [["--mapping", mapping]] : [])];
  const words = stale.reduce<readonly string[]>((left, [flag = "", value = ""]) => {
    const at = left.findIndex((word, i) => word === flag && left[i + 1] === value);
    return at < 0 ? left.filter((word) => word !== `${flag}=${value}`) : left.toSpliced(at, 2);
  }, argv);
  const kept = file === undefined || file === mapping ? [] : ["--mapping", file];
  return [
    ...words,
    ...(file === undefined ? flagsBeyond(options, given).flat() : kept),
    ...(options.skipInvalid && !skipInvalid ? ["--skip-invalid"] : []),
    ...(hasKnown && !onlyNew ? ["--only-new"] : []),
  ];
}

/** Returns the flags of options that others lack. */
export function flagsBeyond(options: FromOptions, others: FromOptions): Flags {
  const known = new Set(readFlags(others).map(String));
  return readFlags(options).filter((flag) => !known.has(String(flag)));
}

/** Writes the answers as a mapping, if that is wanted, and returns the file. */
async function askMappingFile(job: Guide, given: FromOptions): Promise<string | undefined> {
  const { context, prompts, options } = job;
  if (String(readFlags(given)) === String(readFlags(options))) return undefined;
  const { mapping, from } = given;
  const question =
    mapping === undefined
      ? "Keep the answers as a mapping, for the next such file?"
      : `Keep the answers in ${mapping}, for the next such file?`;
  if (!(await confirm(job, question))) return undefined;
  const offered = `${from.replace(/^.*[/\\]/, "").replace(/\.[^.]*$/, "")}.map`;
  const check = (text: string): string | undefined => whyNoMapping(text, options);
  const file = mapping ?? (await prompts.text("File name:", check, offered));
  await context.note(`${keepMapping(file, options) ? "Wrote" : "Updated"} ${file}.`);
  return file;
}
