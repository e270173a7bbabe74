import type { RowOutcome } from "../../../imports/types.ts";
import { BrokenPipe } from "../../../core/errors.ts";
import type { Clock, Output } from "../../../platform/io.ts";
import type { RowFormatter } from "./row-format.ts";

/** What a row writer needs. */
export interface RowWriterOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly formatter: RowFormatter;
}

/** How long rows are collected for one write, in ms. */
const flushIntervalMs = 40;
/** How many rows are buffered before `add` makes its caller wait. */
const maxBuffered = 1000;

/**
 * Writes rows as they end, those that end together in one write. If the reader of standard output goes
 * away, only that output ends (`help bulk`).
 */
export class BufferedRowWriter {
  readonly #options: RowWriterOptions;
  #buffered: RowOutcome[] = [];
  #writing: Promise<void> | undefined;
  #flushNow = new AbortController();
  #isReaderGone = false;
  #error: { readonly cause: unknown } | undefined;

  constructor(options: RowWriterOptions) {
    this.#options = options;
  }

  /**
   * Adds a row that ended. Returns a promise if too many are buffered: awaiting it keeps memory
   * bounded. It rejects with an io Failure if standard output cannot be written.
   */
  add(end: RowOutcome): Promise<void> | void {
    if (this.#error !== undefined) return this.#settled();
    this.#buffered.push(end);
    this.#writing ??= this.#drain();
    if (this.#buffered.length < maxBuffered) return undefined;
    this.#flushNow.abort();
    return this.#settled();
  }

  /** Writes the buffered rows now; if `isWhole`, also what the output needs without any row. */
  async close(isWhole: boolean): Promise<void> {
    this.#flushNow.abort();
    await this.#writing;
    if (this.#error === undefined && isWhole) await this.#write(this.#options.formatter.empty);
    this.#throwIfFailed();
  }

  async #settled(): Promise<void> {
    await this.#writing;
    this.#throwIfFailed();
  }

  async #drain(): Promise<void> {
    await this.#batch();
    try {
      while (this.#buffered.length > 0) {
        const ends = this.#buffered;
        this.#buffered = [];
        const { stdout, stderr } = await this.#options.formatter.format(ends);
        await this.#write(stdout);
        if (stderr !== "") await this.#options.stderr.write(stderr);
      }
    } catch (error) {
      this.#error ??= { cause: error };
      this.#buffered = [];
    }
    this.#writing = undefined;
  }

  async #batch(): Promise<void> {
    if (this.#flushNow.signal.aborted) this.#flushNow = new AbortController();
    await this.#options.clock.sleep(flushIntervalMs, this.#flushNow.signal).catch(() => {});
  }

  async #write(text: string): Promise<void> {
    if (text === "" || this.#isReaderGone) return;
    try {
      await this.#options.stdout.write(text);
    } catch (error) {
      if (!(error instanceof BrokenPipe)) throw error;
      this.#isReaderGone = true;
    }
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error.cause;
  }
}
