import { closeSync, fstatSync, readSync, writeSync } from "node:fs";
import { ioFailure } from "../../core/errors.ts";
import { type LogLine, decodeLines } from "./codec.ts";
import { generationFile, type SegmentPaths, openGeneration } from "./segment-paths.ts";

/** A file of more bytes than this was not written by us: it is not even read. */
export const maxSegmentBytes = 128 * 1024;

/** A line that was read: its text without the break, and what it says, if it says anything. */
export interface ReadLine {
  readonly text: string;
  readonly line: LogLine | undefined;
}

/** One file of a log, open to be read and to be added to. Every method throws what the system says. */
export class LogFile {
  readonly generation: number;
  /** Whether it held nothing when it was opened, or too much. */
  readonly wasEmpty: boolean;
  readonly isOversized: boolean;
  readonly #path: string;
  readonly #fd: number;
  #position = 0;
  /** What was read of a line whose end is still to come. */
  #rest = "";
  /** Whether what was read ends with a record. */
  #isWhole = false;
  #isCorrupt = false;

  private constructor(files: SegmentPaths, generation: number, how: "find" | "make") {
    const { fd, size } = openGeneration(files, generation, how);
    this.generation = generation;
    this.wasEmpty = size === 0;
    this.isOversized = size > maxSegmentBytes;
    this.#path = generationFile(files, generation);
    this.#fd = fd;
  }

  /** Opens the file of `generation`, which is made where it is not there. */
  static create(files: SegmentPaths, generation: number): LogFile {
    return new LogFile(files, generation, "make");
  }

  /** Opens the file of `generation`, if it is there and can be used. */
  static open(files: SegmentPaths, generation: number): LogFile | undefined {
    try {
      return new LogFile(files, generation, "find");
    } catch {
      return undefined;
    }
  }

  /** How many bytes were read of it. */
  get position(): number {
    return this.#position;
  }

  /**
   * How many bytes it has; undefined where what was read of it can't be relied on, because somebody
   * removed it, cut it, or filled it.
   */
  size(): number | undefined {
    const { nlink, size } = fstatSync(this.#fd);
    const isWhole = nlink > 0 && size >= this.#position && size <= maxSegmentBytes;
    return isWhole && !this.#isCorrupt ? size : undefined;
  }

  /** Adds `text`, of ASCII characters, in one write, behind whatever others add. */
  write(text: string): void {
    if (writeSync(this.#fd, text) < text.length) throw ioFailure(`${this.#path} is full`);
  }

  /** The lines that were added since it was last read, up to its `size`. */
  readLines(size: number): readonly ReadLine[] {
    const added = this.#readUpTo(size);
    // A record begins with its line break: here it was cut, and has grown since.
    this.#isCorrupt = this.#isWhole && added !== "" && !added.startsWith("\n");
    if (added === "" || this.#isCorrupt) return [];
    const pieces = (this.#rest + added).split("\n");
    const texts = pieces.filter((text) => text !== "");
    const said = decodeLines(texts);
    this.#isWhole = pieces.at(-1) !== "" && said.at(-1) !== undefined;
    // Its writer may be in the middle of the last one.
    this.#rest = this.#isWhole ? "" : (pieces.at(-1) ?? "");
    return texts.map((text, place) => ({ text, line: said[place] }));
  }

  /** Passes over `text`, where that is all that was added; answers whether it was. */
  skipOwnWrite(text: string, size: number): boolean {
    if (this.#rest !== "" || size !== this.#position + text.length) return false;
    this.#position = size;
    this.#isWhole = true;
    return true;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readUpTo(size: number): string {
    const length = size - this.#position;
    if (length === 0) return "";
    const buffer = Buffer.allocUnsafe(length);
    const count = readSync(this.#fd, buffer, 0, length, this.#position);
    this.#position += count;
    return buffer.toString("latin1", 0, count);
  }
}
