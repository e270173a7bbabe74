import { closeSync, fstatSync, readSync, writeSync } from "node:fs";
import { ioFailure } from "../errors.ts";
import { type Line, parseLines } from "./line.ts";
import { generationFile, generations, type LogFiles, openGeneration } from "./log-files.ts";

/** A file of more bytes than this was not written by us: it is not even read. */
export const hugeSize = 512 * 1024;

/** A line that was read: its text without the break, and what it says, if it says anything. */
export interface ReadLine {
  readonly text: string;
  readonly line: Line | undefined;
}

/** One file of a log, open to be read and to be added to. Every method throws what the system says. */
export class LogFile {
  readonly generation: number;
  readonly #path: string;
  readonly #fd: number;
  #position = 0;
  /** What was read of a line whose end is still to come. */
  #rest = "";

  private constructor(files: LogFiles, generation: number, fd: number) {
    this.generation = generation;
    this.#path = generationFile(files, generation);
    this.#fd = fd;
  }

  /** Opens the file of `generation`; a later one, where that is long left behind, or was not written by us. */
  static open(files: LogFiles, generation: number): LogFile {
    const { fd, size } = openGeneration(files, generation);
    // Made anew, a file that others have left behind would split the log in two.
    const latest = size === 0 ? (generations(files).at(-1) ?? generation) : generation;
    const wanted = size > hugeSize ? generation + 1 : latest;
    if (wanted === generation) return new LogFile(files, generation, fd);
    closeSync(fd);
    return LogFile.open(files, wanted);
  }

  /** How many bytes were read of it. */
  get position(): number {
    return this.#position;
  }

  /** How many bytes it has; undefined where somebody removed it, or cut it. */
  size(): number | undefined {
    const { nlink, size } = fstatSync(this.#fd);
    return nlink === 0 || size < this.#position ? undefined : size;
  }

  /** Adds `text` in one write, behind whatever others add. */
  write(text: string): void {
    if (writeSync(this.#fd, text) < text.length) throw ioFailure(`${this.#path} is full`);
  }

  /** The lines that were added since it was last read, up to its `size`. */
  readLines(size: number): readonly ReadLine[] {
    const pieces = (this.#rest + this.#readUpTo(size)).split("\n");
    const texts = pieces.filter((text) => text !== "");
    const said = parseLines(texts);
    // Its writer may be in the middle of the last one.
    this.#rest = said.at(-1) === undefined ? (pieces.at(-1) ?? "") : "";
    return texts.map((text, place) => ({ text, line: said[place] }));
  }

  /** Passes over `text`, where that is all that was added; answers whether it was. */
  pass(text: string, size: number): boolean {
    if (this.#rest !== "" || size !== this.#position + text.length) return false;
    this.#position = size;
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
