import { closeSync, constants, fstatSync, readSync, writeSync } from "node:fs";
import { ioFailure } from "../../../core/errors.ts";
import { openPrivateFile } from "../../../platform/private-files.ts";
import { type LogLine, decodeLines } from "../codec.ts";
import { generationFile, type SegmentPaths } from "./segment-paths.ts";

/** A file of more bytes than this was not written by this program, and is not read. */
export const maxSegmentBytes = 128 * 1024;

const { O_RDWR, O_APPEND, O_CREAT } = constants;

/** The file of a segment, open to read and to append. Every method throws the system's errors. */
export class SegmentFile {
  readonly generation: number;
  /** Its size in bytes when it was opened. */
  readonly sizeAtFirst: number;
  /** How many bytes of it were read. */
  position = 0;
  readonly #path: string;
  readonly #fd: number;
  /** The beginning of a line whose end is not written yet. */
  #partial = "";
  /** Whether what was read ends with a complete record. */
  #isComplete = false;
  #isCorrupt = false;

  /** Opens the file of `generation`, and creates it if it is missing and `flags` say so. */
  constructor(files: SegmentPaths, generation: number, flags = O_CREAT) {
    this.generation = generation;
    this.#path = generationFile(files, generation);
    this.#fd = openPrivateFile(this.#path, O_RDWR | O_APPEND | flags);
    this.sizeAtFirst = fstatSync(this.#fd).size;
  }

  /** Opens the file of `generation`; undefined if it does not exist or can't be used. */
  static open(files: SegmentPaths, generation: number): SegmentFile | undefined {
    try {
      return new SegmentFile(files, generation, 0);
    } catch {
      return undefined;
    }
  }

  /** Returns its size in bytes; undefined if it was removed, truncated or overwritten in the meantime. */
  size(): number | undefined {
    const { nlink, size } = fstatSync(this.#fd);
    const isValid = nlink > 0 && size >= this.position && size <= maxSegmentBytes;
    return isValid && !this.#isCorrupt ? size : undefined;
  }

  /** Appends `text`, of ASCII characters, in one write. */
  write(text: string): void {
    if (writeSync(this.#fd, text) < text.length) throw ioFailure(`${this.#path} is full`);
  }

  /** Returns the lines that were appended since the last read, up to `size`: their texts, and what is valid of them. */
  readLines(
    size: number,
  ): readonly { readonly text: string; readonly line: LogLine | undefined }[] {
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
    const buffer = Buffer.allocUnsafe(size - this.position);
    const count = readSync(this.#fd, buffer, 0, buffer.length, this.position);
    this.position += count;
    return buffer.toString("latin1", 0, count);
  }
}
