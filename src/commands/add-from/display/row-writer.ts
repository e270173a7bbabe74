import { BrokenPipe } from "../../../core/errors.ts";
import type { RowOutcome } from "../../../imports/types.ts";
import { type DisplayContext, notAddedLines, type RowFormat } from "./row-format.ts";

/** How long rows are collected for one write, in ms. */
const collectMs = 1;
/** How many rows are buffered before `add` makes its caller wait. */
const maxBuffered = 1000;

/**
 * Writes rows as they end, those that end together in one write. If the reader of standard output goes
 * away, only that output ends (`help bulk`).
 */
export class BufferedRowWriter {
  readonly #context: DisplayContext;
  readonly #format: RowFormat;
  #buffered: RowOutcome[] = [];
  /** The writing of what is buffered; it stays when it has failed. */
  #writing: Promise<void> | undefined;
  #hasFailed = false;
  #isReaderGone = false;

  constructor(context: DisplayContext, format: RowFormat) {
    this.#context = context;
    this.#format = format;
  }

  /**
   * Adds a row that ended. Returns a promise if too many are buffered: awaiting it keeps memory
   * bounded. It rejects with an io Failure if standard output cannot be written.
   */
  add(end: RowOutcome): Promise<void> | void {
    if (this.#hasFailed) return this.#writing;
    this.#buffered.push(end);
    if (this.#writing === undefined) {
      this.#writing = this.#writeBuffered();
      this.#writing.catch(() => (this.#hasFailed = true));
    }
    return this.#buffered.length < maxBuffered ? undefined : this.#writing;
  }

  /** Writes the buffered rows now; if `isWhole`, also what the output needs without any row. */
  async close(isWhole: boolean): Promise<void> {
    await this.#writing;
    if (isWhole) await this.#write(this.#format.end());
  }

  async #writeBuffered(): Promise<void> {
    await this.#context.clock.sleep(collectMs);
    while (this.#buffered.length > 0) {
      const ends = this.#buffered;
      this.#buffered = [];
      await this.#write(await this.#format.add(ends));
      const problems = this.#format.isComplete ? "" : notAddedLines(ends);
      if (problems !== "") await this.#context.stderr.write(problems);
    }
    this.#writing = undefined;
  }

  async #write(text: string): Promise<void> {
    if (text === "" || this.#isReaderGone) return;
    try {
      await this.#context.stdout.write(text);
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
      this.#isReaderGone = true;
    }
  }
}
