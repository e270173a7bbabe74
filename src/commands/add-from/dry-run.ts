import { readJournal } from "../../bulk/journal/read.ts";
import { actionFor } from "../../bulk/run/run.ts";
import type { Row } from "../../bulk/types.ts";
import { resolveBaseUrl } from "../../config/connection.ts";
import type { NewPet } from "../../core/pet.ts";
import type { Context } from "../context.ts";
import type { PetWidths } from "./display/column-meter.ts";
import { openDryRunFormatter } from "./display/dry-run-format.ts";
import { tableTarget } from "./display/row-format.ts";
import { dryRunNote } from "./display/start-notes.ts";
import { journalRef, type ValidatedInput } from "./input.ts";
import type { FromOptions } from "./options.ts";

/** Prints the rows that would be sent, and sends nothing (contract.md, Bulk, `--dry-run`). */
export async function dryRun(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
): Promise<void> {
  const wouldSend = await sendFilter(context, options, input);
  let count = 0;
  const pets = async function* (): AsyncGenerator<readonly NewPet[]> {
    for await (const batch of input.rows()) {
      const kept = batch.filter(wouldSend).map(({ pet }) => pet);
      count += kept.length;
      yield kept;
    }
  };
  await printPets(context, pets(), input.widths);
  await context.note(dryRunNote(count, input.count));
}

/** Returns whether a row would be sent: always, if no base URL is known or no run was begun. */
async function sendFilter(
  context: Context,
  { again, retryUnknown }: FromOptions,
  input: ValidatedInput,
): Promise<(row: Row) => boolean> {
  const baseUrl = await resolveBaseUrl(context.settings, context.profiles);
  const journal = baseUrl && readJournal(journalRef(context, input, baseUrl));
  if (journal === undefined || (again && journal.isFinished)) return () => true;
  return ({ index }) => actionFor(journal.state(index), retryUnknown) === "send";
}

/** How many characters are gathered for one write. */
const writeSize = 65_536;

/** Prints animals as they come. Rejects with a BrokenPipe if the reader goes away. */
async function printPets(
  { stdout, env, settings: { format, color } }: Context,
  batches: AsyncIterable<readonly NewPet[]>,
  widths: PetWidths,
): Promise<void> {
  const target = tableTarget(stdout, env, color);
  const formatter = await openDryRunFormatter({ format, widths, terminal: stdout.isTTY, target });
  let buffered = "";
  for await (const pets of batches) {
    buffered += formatter.format(pets);
    if (buffered.length < writeSize) continue;
    await stdout.write(buffered);
    buffered = "";
  }
  await stdout.write(buffered + formatter.end());
}
