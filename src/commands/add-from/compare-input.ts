import { addressHash } from "../../imports/journal/open.ts";
import type { JournalRef, JournalView } from "../../imports/journal/read.ts";
import type { StoreAnswer } from "../../imports/journal/select.ts";
import {
  compareRows,
  type Comparison,
  isMostlyKnown,
  RowSet,
} from "../../imports/known/compare.ts";
import {
  countEarlierRows,
  type EarlierRun,
  type RunMatch,
} from "../../imports/known/earlier-runs.ts";
import { RowIndex } from "../../imports/known/row-index.ts";
import type { Row } from "../../imports/types.ts";
import type { Context } from "../context.ts";
import type { OriginalCommand } from "./display/summary.ts";
import type { ValidatedInput } from "./input.ts";
import {
  alreadyAdded,
  type KnownRows,
  maxNoted,
  onlyNewNote,
  sentAgainNotes,
  storeUnknown,
} from "./known-rows.ts";
import type { FromOptions } from "./options.ts";

/** What a comparison with the rows of other runs needs. */
export interface ComparedInputOptions {
  readonly ref: JournalRef;
  /** A hash of the key of this run. */
  readonly key: string;
  readonly input: ValidatedInput;
  readonly baseUrl: URL;
  readonly command: OriginalCommand;
}

/** The rows that other runs added, or may have, and what to tell the user about them. */
export interface ComparedInput extends Pick<Comparison, "known"> {
  readonly notes: readonly string[];
}

/** Compares an input with what other runs added, once it is known which store answers. */
export interface InputComparison {
  /** Whether any other run has rows of the input, whichever store answers. */
  isPossible(): boolean;
  /** Throws a usage Failure if half of the rows were added earlier, or if that can't be known. */
  finish(
    journal: JournalView | undefined,
    answer: StoreAnswer,
    options: Pick<FromOptions, "onlyNew" | "resume">,
  ): Promise<ComparedInput>;
}

const nothing: ComparedInput = { known: new RowSet(0), notes: [] };

/** The comparison of an input that is sent in any case. */
export const nothingKnown: InputComparison = {
  isPossible: () => false,
  finish: async () => nothing,
};

/** Returns the comparison of an input. */
export function compareInput(context: Context, given: ComparedInputOptions): InputComparison {
  const { ref, key, input, baseUrl, command } = given;
  const now = context.clock.now();
  const address = addressHash(baseUrl);
  const index = new RowIndex(input.fingerprints);
  const count = (isCounted: (run: EarlierRun) => boolean): readonly RunMatch[] => {
    index.clear();
    return countEarlierRows({ folder: ref.folder, ownName: ref.name, now }, index, isCounted);
  };
  let isPossible = false;
  return {
    isPossible() {
      const matches = count((run) => run.storeId !== undefined || run.address === address);
      return (isPossible = matches.length > 0);
    },
    async finish(journal, answer, options) {
      if (!isPossible || answer === undefined) {
        index.release();
        return nothing;
      }
      const compareWith = (isCounted: (run: EarlierRun) => boolean) => {
        const matches = count(isCounted);
        const comparison = compareRows(index, ref.rows, journal);
        const { known, compared: rows } = comparison;
        const facts: KnownRows = { name: input.name, known: known.size, rows, matches, now };
        return { comparison, facts };
      };
      const here = { storeId: answer.storeId, address, key };
      const found = compareWith((run) => confidence(run, here) >= (options.resume ? 1 : 2));
      if (answer.storeId === undefined && !options.resume) {
        const { comparison } = compareWith((run) => confidence(run, here) >= 1);
        const counts = options.onlyNew
          ? comparison.known.size > found.comparison.known.size
          : isMostlyKnown(comparison) && !isMostlyKnown(found.comparison);
        if (counts) throw storeUnknown(baseUrl.host, command);
      }
      index.release();
      const { comparison, facts } = found;
      if (comparison.known.size === 0) return nothing;
      if (options.onlyNew) return { known: comparison.known, notes: [onlyNewNote(facts)] };
      if (isMostlyKnown(comparison)) throw alreadyAdded(facts, command);
      const first = await firstRows(input, comparison.known);
      return { known: comparison.known, notes: sentAgainNotes(facts, first) };
    },
  };
}

/** The store, address and key of this run. */
type Here = Pick<EarlierRun, "storeId" | "address" | "key">;

/**
 * Returns whether a run sent its rows to the store that answers: 2 if it did, 1 if that is unknown, else 0
 * (contract.md, Bulk, Which store).
 */
function confidence(run: EarlierRun, here: Here): 0 | 1 | 2 {
  if (here.storeId !== undefined && run.storeId !== undefined)
    return run.storeId === here.storeId ? 2 : 0;
  if (run.address !== here.address) return 0;
  if (here.storeId !== undefined) return 2;
  return run.storeId === undefined && run.key === here.key ? 2 : 1;
}

/** Returns the first of the rows with these numbers. */
async function firstRows(input: ValidatedInput, numbers: RowSet): Promise<Row[]> {
  const count = Math.min(numbers.size, maxNoted);
  const found: Row[] = [];
  for await (const batch of input.rows()) {
    found.push(...batch.filter(({ index }) => numbers.has(index)));
    if (found.length >= count) break;
  }
  return found.slice(0, count);
}
