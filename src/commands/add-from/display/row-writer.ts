import type { RowOutcome } from "../../../bulk/types.ts";
import { BrokenPipe } from "../../../core/errors.ts";
import type { Clock, Output } from "../../../platform/io.ts";
import type { RowLines } from "./row-format.ts";

/** What rows are printed with. */
export interface PrinterOptions {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly lines: RowLines;
}

/** How long, in ms, rows that end one after the other are gathered for one write. */
const flushIntervalMs = 40;
/** How many rows may be held before whoever brings more has to wait. */
const maxBuffered = 1000;

/**
 * Prints rows as they end, those that end together in one write. A reader of standard output that
 * goes away ends that output and nothing else (contract.md, Bulk, Sending).
 */
export class BufferedRowWriter {
  readonly #options: PrinterOptions;
  #held: RowOutcome[] = [];
  #printing: Promise<void> | undefined;
  #flushNow = new AbortController();
  #isReaderGone = false;
  #error: { readonly cause: unknown } | undefined;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  /**
   * Takes a row that ended. Answers a promise where too many are held; whoever waits for it keeps
   * memory bounded. Rejects with an io Failure when standard output can't be written.
   */
  tell(end: RowOutcome): Promise<void> | void {
    if (this.#error !== undefined) return this.#settled();
    this.#held.push(end);
    this.#printing ??= this.#print();
    if (this.#held.length < maxBuffered) return undefined;
    this.#flushNow.abort();
    return this.#settled();
  }

  /** Prints all that is held, now; where `isWhole` also what belongs there without any row. */
  async close(isWhole: boolean): Promise<void> {
    this.#flushNow.abort();
    await this.#printing;
    if (this.#error === undefined && isWhole) await this.#write(this.#options.lines.empty);
    this.#throwIfFailed();
  }

  async #settled(): Promise<void> {
    await this.#printing;
    this.#throwIfFailed();
  }

  async #print(): Promise<void> {
    await this.#batch();
    try {
      while (this.#held.length > 0) {
        const ends = this.#held;
        this.#held = [];
        const { stdout, stderr } = await this.#options.lines.format(ends);
        await this.#write(stdout);
        if (stderr !== "") await this.#options.stderr.write(stderr);
      }
    } catch (error) {
      this.#error ??= { cause: error };
      this.#held = [];
    }
    this.#printing = undefined;
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
