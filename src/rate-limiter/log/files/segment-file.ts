import { closeSync, fstatSync, readSync, writeSync } from "node:fs";
import { ioFailure } from "../../../core/errors.ts";
import { type LogLine, decodeLines } from "../codec.ts";
import { generationFile, type SegmentPaths, openGeneration } from "./segment-paths.ts";

/** A file of more bytes than this was not written by this program, and is not read. */
export const maxSegmentBytes = 128 * 1024;

/** A line that was read: its text without the break, and its meaning if it is valid. */
export interface ReadLine {
  readonly text: string;
  readonly line: LogLine | undefined;
}

/** The file of a segment, open to read and to append. Every method throws the system's errors. */
export class SegmentFile {
  readonly generation: number;
  /** Whether it was empty, or over `maxSegmentBytes`, when it was opened. */
  readonly wasEmpty: boolean;
  readonly isOversized: boolean;
  readonly #path: string;
  readonly #fd: number;
  #position = 0;
  /** The beginning of a line whose end is not written yet. */
  #partial = "";
  /** Whether what was read ends with a complete record. */
  #isComplete = false;
  #isCorrupt = false;

  private constructor(files: SegmentPaths, generation: number, mode: "open" | "create") {
    const { fd, size } = openGeneration(files, generation, mode);
    this.generation = generation;
    this.wasEmpty = size === 0;
    this.isOversized = size > maxSegmentBytes;
    this.#path = generationFile(files, generation);
    this.#fd = fd;
  }

  /** Opens the file of `generation`, and creates it if it does not exist. */
  static create(files: SegmentPaths, generation: number): SegmentFile {
    return new SegmentFile(files, generation, "create");
  }

  /** Opens the file of `generation`; undefined if it does not exist or can't be used. */
  static open(files: SegmentPaths, generation: number): SegmentFile | undefined {
    try {
      return new SegmentFile(files, generation, "open");
    } catch {
      return undefined;
    }
  }

  /** How many bytes of it were read. */
  get position(): number {
    return this.#position;
  }

  /** Returns its size in bytes; undefined if it was removed, truncated or overwritten in the meantime. */
  size(): number | undefined {
    const { nlink, size } = fstatSync(this.#fd);
    const isValid = nlink > 0 && size >= this.#position && size <= maxSegmentBytes;
    return isValid && !this.#isCorrupt ? size : undefined;
  }

  /** Appends `text`, of ASCII characters, in one write. */
  write(text: string): void {
    if (writeSync(this.#fd, text) < text.length) throw ioFailure(`${this.#path} is full`);
  }

  /** Returns the lines that were appended since the last read, up to `size`. */
  readLines(size: number): readonly ReadLine[] {
    const added = this.#readUpTo(size);
    // A record begins with its line break, so without one the file was truncated and has grown since.
    this.#isCorrupt = this.#isComplete && added !== "" && !added.startsWith("\n");
    if (added === "" || this.#isCorrupt) return [];
    const pieces = (this.#partial + added).split("\n");
    const texts = pieces.filter((text) => text !== "");
    const lines = decodeLines(texts);
    this.#isComplete = pieces.at(-1) !== "" && lines.at(-1) !== undefined;
    // The end of the last line may not be written yet.
    this.#partial = this.#isComplete ? "" : (pieces.at(-1) ?? "");
    return texts.map((text, index) => ({ text, line: lines[index] }));
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
