import { BrokenPipe } from "../../../core/errors.ts";
import type { RowOutcome } from "../../../imports/types.ts";
import { type DisplayContext, notAddedLines, type RowFormat } from "./row-format.ts";

/** How long rows are collected for one write, in ms. */
const collectMs = 1;
/** How many rows are buffered before `add` makes its caller wait. */
const maxBuffered = 1000;

/**
 * Opens a writer of rows as they end, of those that end together in one write. If the reader of standard
 * output goes away, only that output ends (`help bulk`).
 */
export function openRowWriter({ stdout, stderr, clock }: DisplayContext, format: RowFormat) {
  let buffered: RowOutcome[] = [];
  let room = maxBuffered;
  /** The writing of what is buffered; it stays when it has failed. */
  let writing: Promise<void> | undefined;
  let isReaderGone = false;

  const write = async (ends: readonly RowOutcome[]): Promise<void> => {
    const text = await format.add(ends);
    try {
      if (text !== "" && !isReaderGone) await stdout.write(text);
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
      isReaderGone = true;
    }
    const problems = format.isComplete ? "" : notAddedLines(ends);
    if (problems !== "") await stderr.write(problems);
  };

  const writeBuffered = async (): Promise<void> => {
    await clock.sleep(collectMs);
    while (buffered.length > 0) {
      const ends = buffered;
      buffered = [];
      await write(ends);
    }
    writing = undefined;
  };

  return {
    /**
     * Adds a row that ended. Returns a promise if too many are buffered: awaiting it keeps memory
     * bounded. It rejects with an io Failure if standard output cannot be written.
     */
    add(end: RowOutcome): Promise<void> | void {
      buffered.push(end);
      if (writing === undefined) {
        writing = writeBuffered();
        writing.catch(() => (room = 0));
      }
      return buffered.length < room ? undefined : writing;
    },
    /** Writes the buffered rows now; if `isWhole`, also the header of an output without any row. */
    async close(isWhole: boolean): Promise<void> {
      await writing;
      if (isWhole) await write([]);
    },
  };
}
