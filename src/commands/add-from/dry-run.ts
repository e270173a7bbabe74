import {
  compareRows,
  findEarlierRows,
  type FoundRow,
  foundRows,
  isMostlyKnown,
  type KnownRows,
} from "../../imports/database/compare.ts";
import type { ImportDatabase } from "../../imports/database/database.ts";
import { type ImportRecord, importsOfInput } from "../../imports/database/import-records.ts";
import { recordedRows } from "../../imports/database/rows.ts";
import { refuseOldJournal } from "../../imports/run/input-lock.ts";
import { outcomesOf } from "../../imports/report/outcomes.ts";
import type { ResultsFile } from "../../imports/report/results-file.ts";
import { actionFor } from "../../imports/run/run.ts";
import { addressHash, inputHash } from "../../imports/run/store-identity.ts";
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
import type { ValidatedInput } from "./input.ts";
import { equalNotes, knownNotes } from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** Prints the rows that would be sent, and sends nothing (`help bulk`). */
export async function dryRun(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
  results?: ResultsFile,
): Promise<void> {
  const { wouldSend, notes, own, isCompared } = await predict(context, options, input);
  let count = 0;
  const pets = async function* (): AsyncGenerator<readonly NewPet[]> {
    for await (const batch of input.rows()) {
      const kept = wouldSend(batch).map(({ pet }) => pet);
      count += kept.length;
      yield kept;
    }
  };
  await printPets(context, pets(), input.widths);
  for (const line of [...notes, ...(await equalNotes(input))]) await context.note(line);
  await context.note(dryRunNote(count, input.count, input.invalid));
  const { quiet, maxWaitMs } = context.settings;
  const limits = quiet ? undefined : await knownLimits(context);
  for (const line of dryRunForecast(limits, count, maxWaitMs, options)) await context.note(line);
  const { database } = input;
  const outcomes = outcomesOf(database, { record: own, unsent: "valid", isCompared });
  await results?.write(input.source, outcomes);
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

/** Which rows of a batch would be sent, and what to report about the others. */
interface Prediction {
  readonly wouldSend: (batch: readonly Row[]) => readonly Row[];
  readonly notes: readonly string[];
  /** The import of the input that has begun, if there is one. */
  readonly own?: ImportRecord | undefined;
  /** Whether other imports have rows of the input. */
  readonly isCompared: boolean;
}

/** Predicts from what is recorded for this address, without asking the store. */
async function predict(
  context: Context,
  options: FromOptions,
  input: ValidatedInput,
): Promise<Prediction> {
  const { again, addChanged } = options;
  const { database, content } = input;
  const baseUrl = await resolveBaseUrl(context.settings, context.profiles);
  if (baseUrl === undefined) return { wouldSend: (batch) => batch, notes: [], isCompared: false };
  const now = context.clock.now();
  const hash = inputHash(content, baseUrl);
  const own = importsOfInput(database, hash).toSorted((a, b) => b.active - a.active)[0];
  if (own === undefined && !again) refuseOldJournal(database.folder, hash);
  const known = again || own?.isAgain === 1 ? undefined : compareHere(input, { own, baseUrl, now });
  const here = { own, isCompared: known !== undefined };
  const isOnlyNew = options.onlyNew || addChanged;
  if (known !== undefined && !isOnlyNew && isMostlyKnown(known))
    return { wouldSend: () => [], notes: await knownNotes(input, known, options, now), ...here };
  const isLeft = (batch: readonly Row[]): readonly Row[] =>
    own === undefined || (again && own.isFinished) ? batch : leftOf(database, own, batch, options);
  if (known === undefined) return { wouldSend: isLeft, notes: [], ...here };
  const leavesOut = (batch: readonly Row[]): readonly Row[] => {
    const found = foundIn(database, batch);
    return isLeft(batch).filter(({ index }) => {
      const kind = found.get(index);
      return kind === undefined || (kind === "changed" && addChanged);
    });
  };
  const notes = await knownNotes(input, known, options, now);
  return { wouldSend: isOnlyNew ? leavesOut : isLeft, notes, ...here };

  function compareHere(
    { database: staged }: ValidatedInput,
    at: { readonly own: ImportRecord | undefined; readonly baseUrl: URL; readonly now: number },
  ): KnownRows | undefined {
    const address = addressHash(at.baseUrl);
    const others = findEarlierRows(staged, hash, at.now);
    const counted = others.filter((each) => each.address === address);
    return compareRows(staged, at.own, counted);
  }
}

function leftOf(
  database: ImportDatabase,
  own: ImportRecord,
  batch: readonly Row[],
  rule: Pick<FromOptions, "retryUnknown" | "addChanged">,
): readonly Row[] {
  const [first, last] = [batch[0], batch.at(-1)];
  if (first === undefined || last === undefined) return [];
  const recorded = recordedRows(database, own, [first.index, last.index]);
  return batch.filter(
    ({ index }) => actionFor(recorded.get(index)?.state ?? "unsent", rule) === "send",
  );
}

/** Returns which rows of a batch other imports added. */
function foundIn(
  database: ImportDatabase,
  batch: readonly Row[],
): ReadonlyMap<number, FoundRow["kind"]> {
  const first = batch[0]?.index ?? 0;
  const found = foundRows(database, { first, most: batch.length });
  return new Map(found.map(({ number, kind }) => [number, kind]));
}

/** How many characters are collected for one write. */
const writeSize = 2048;

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
