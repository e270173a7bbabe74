import { addressHash } from "../../imports/journal/open.ts";
import { type JournalRef, readJournals, type StoredJournal } from "../../imports/journal/read.ts";
import { compareRows, type RowSet } from "../../imports/known/compare.ts";
import { countEarlierRows } from "../../imports/known/earlier-runs.ts";
import { RowIndex } from "../../imports/known/row-index.ts";
import { actionFor } from "../../imports/run/run.ts";
import type { Row } from "../../imports/types.ts";
import { resolveBaseUrl } from "../../config/connection.ts";
import { Failure } from "../../core/errors.ts";
import type { NewPet } from "../../core/pet.ts";
import type { LimiterStatus } from "../../rate-limiter/rules/status.ts";
import { isColored } from "../../output/color.ts";
import { newPetColumns } from "../../output/columns.ts";
import { outputFormats } from "../../output/formats/index.ts";
import type { Context } from "../context.ts";
import { readKnownLimits } from "../known-limits.ts";
import { columnWidths, type PetWidths } from "./display/column-meter.ts";
import { dryRunForecast } from "./display/dry-run-forecast.ts";
import { dryRunNote } from "./display/start-notes.ts";
import { journalRef, type ValidatedInput } from "./input.ts";
import { dryRunKnownNote, type KnownRows } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** Prints the rows that would be sent, and sends nothing (contract.md, Bulk, `--dry-run`). */
export async function dryRun(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
): Promise<void> {
  const { wouldSend, notes } = await predict(context, options, input);
  let count = 0;
  const pets = async function* (): AsyncGenerator<readonly NewPet[]> {
    for await (const batch of input.rows()) {
      const kept = batch.filter(wouldSend).map(({ pet }) => pet);
      count += kept.length;
      yield kept;
    }
  };
  await printPets(context, pets(), input.widths);
  for (const line of notes) await context.note(line);
  await context.note(dryRunNote(count, input.count));
  const { quiet, maxWaitMs } = context.settings;
  const limits = quiet ? undefined : await knownLimits(context);
  for (const line of dryRunForecast(limits, count, maxWaitMs)) await context.note(line);
}

/** Returns what is known about the limits without a request; undefined without an API key. */
async function knownLimits(context: Context): Promise<LimiterStatus | undefined> {
  try {
    return await readKnownLimits(context, await context.connectionTarget());
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Which rows would be sent, and what to report about the others. */
interface Prediction {
  readonly wouldSend: (row: Row) => boolean;
  readonly notes: readonly string[];
}

/** Predicts from what earlier runs recorded for this address, without asking the store. */
async function predict(
  context: Context,
  { again, retryUnknown, onlyNew }: FromOptions,
  input: ValidatedInput,
): Promise<Prediction> {
  const baseUrl = await resolveBaseUrl(context.settings, context.profiles);
  if (baseUrl === undefined) return { wouldSend: () => true, notes: [] };
  const ref = journalRef(context, input, baseUrl);
  const [journal] = readJournals(ref).toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  const isLeft = ({ index }: Row): boolean =>
    journal === undefined ||
    (again && journal.isFinished) ||
    actionFor(journal.state(index), retryUnknown) === "send";
  const facts = again ? undefined : compareHere(context, input, { ref, baseUrl, journal });
  if (facts === undefined) return { wouldSend: isLeft, notes: [] };
  return {
    wouldSend: (row) => isLeft(row) && !(onlyNew && facts.numbers.has(row.index)),
    notes: [dryRunKnownNote(facts, onlyNew)],
  };
}

/** Returns the rows that runs of other inputs added at this address; undefined if there are none. */
function compareHere(
  context: Context,
  { name, fingerprints }: ValidatedInput,
  at: {
    readonly ref: JournalRef;
    readonly baseUrl: URL;
    readonly journal: StoredJournal | undefined;
  },
): (KnownRows & { readonly numbers: RowSet }) | undefined {
  const { ref, baseUrl, journal } = at;
  const now = context.clock.now();
  const address = addressHash(baseUrl);
  const index = new RowIndex(fingerprints);
  const place = { folder: ref.folder, ownName: ref.name, now };
  const matches = countEarlierRows(place, index, (run) => run.address === address);
  if (matches.length === 0) return undefined;
  const { known: numbers, compared: rows } = compareRows(index, ref.rows, journal);
  if (numbers.size === 0) return undefined;
  return { name, known: numbers.size, rows, matches, now, numbers };
}

/** How many characters are collected for one write. */
const writeSize = 8192;

/** Prints animals as they are read. Rejects with a BrokenPipe if the reader goes away. */
async function printPets(
  { stdout, env, settings: { format, color } }: Context,
  batches: AsyncIterable<readonly NewPet[]>,
  widths: PetWidths,
): Promise<void> {
  const writer = await outputFormats[format].load();
  const stream = await writer.open({
    columns: newPetColumns,
    widths: columnWidths(widths),
    single: false,
    live: false,
    terminal: stdout.isTTY,
    color: isColored(env, stdout.isTTY, color),
    ...(stdout.columns !== undefined && { width: stdout.columns }),
  });
  let buffered = "";
  for await (const pets of batches) {
    buffered += stream.add(pets);
    if (buffered.length < writeSize) continue;
    await stdout.write(buffered);
    buffered = "";
  }
  await stdout.write(buffered + stream.end());
}
