import { type BulkInput, openInput } from "../../bulk/input/input.ts";
import { readJournal } from "../../bulk/journal/read.ts";
import { actionFor } from "../../bulk/run/run.ts";
import type { Row } from "../../bulk/types.ts";
import type { NewPet } from "../../core/pet.ts";
import { resolveBaseUrl } from "../../config/connection.ts";
import type { Context } from "../context.ts";
import type { ColumnMeter, PetWidths } from "./display/dry-run-format.ts";
import { printNewPets } from "./display/run-display.ts";
import { dryRunNote } from "./display/start-notes.ts";
import type { FromOptions } from "./options.ts";
import { journalRef } from "./run.ts";

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

/** An input of which every row was found valid. */
export interface ValidatedInput extends Pick<BulkInput, "name" | "isReadOnce" | "rows" | "close"> {
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly content: string;
  /** How many rows there are. */
  readonly count: number;
  /** How wide their fields are; 0 where no table is shown. */
  readonly widths: PetWidths;
}

/** Opens the file of `--from`, and reads it once to check it. Rejects with a usage or an io Failure. */
export async function openValidatedInput(
  context: Context,
  options: FromOptions,
): Promise<ValidatedInput> {
  const { stdin, signal, settings } = context;
  const { file, format, ignoreUnknown } = options;
  const input = await openInput({
    file,
    stdin,
    signal,
    ignoreUnknown,
    ...(format !== undefined && { format }),
  });
  try {
    const meter = settings.format === "table" ? await openMeter() : undefined;
    const measure = (rows: readonly Row[]): void => meter?.add(rows.map(({ pet }) => pet));
    const { rows: count, hash: content } = await input.check(measure);
    const widths = meter ?? { name: 0, categoryId: 0, status: 0 };
    const parts = { rows: () => input.rows(), close: () => input.close() };
    const { name, isReadOnce } = input;
    return { name, isReadOnce, ...parts, content, count, widths };
  } catch (error) {
    input.close();
    throw error;
  }
}

async function openMeter(): Promise<ColumnMeter> {
  const { openWidthMeter } = await import("./display/dry-run-format.ts");
  return openWidthMeter();
}
