import type { NewPet } from "../../client/types.ts";
import { readJournal } from "../../bulk/journal/journal-view.ts";
import { actionFor } from "../../bulk/run/run-feed.ts";
import type { Row } from "../../bulk/types.ts";
import { resolveBaseUrl } from "../../config/connection.ts";
import type { Context } from "../context.ts";
import { dryRunNote } from "./display/start-notes.ts";
import type { ValidatedInput } from "./add-from-input.ts";
import type { FromOptions } from "./options.ts";
import { journalRef } from "./add-from-place.ts";
import { printNewPets } from "./display/add-from-screen.ts";

/** Prints the rows that would be sent, and sends nothing (contract.md, Bulk, `--dry-run`). */
export async function printRows(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
): Promise<void> {
  const isSent = await whichAreSent(context, options, input);
  let count = 0;
  const pets = async function* (): AsyncGenerator<readonly NewPet[]> {
    for await (const batch of input.rows()) {
      const kept = batch.filter(isSent).map(({ pet }) => pet);
      count += kept.length;
      yield kept;
    }
  };
  await printNewPets(context, pets(), input.widths);
  await context.note(dryRunNote(count, input.count));
}

/** Tells which rows would be sent: all, where no base URL is known or no run was begun. */
async function whichAreSent(
  context: Context,
  { again, retryUnknown }: FromOptions,
  input: ValidatedInput,
): Promise<(row: Row) => boolean> {
  const baseUrl = await resolveBaseUrl(context.settings, context.profiles);
  const journal = baseUrl && readJournal(journalRef(context, input, baseUrl));
  if (journal === undefined || (again && journal.isFinished)) return () => true;
  return ({ index }) => actionFor(journal.state(index), retryUnknown) === "send";
}
