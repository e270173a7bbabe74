import { closeSync, fstatSync, readSync, writeSync } from "node:fs";
import { ioFailure } from "../errors.ts";
import { type Line, parseLine } from "./line.ts";
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
    const fd = openGeneration(files, generation);
    const { size } = fstatSync(fd);
    // Made anew, a file that others have left behind would split the log in two.
    const latest = size === 0 ? (generations(files).at(-1) ?? generation) : generation;
    const wanted = size > hugeSize ? generation + 1 : latest;
    if (wanted === generation) return new LogFile(files, generation, fd);
    closeSync(fd);
    return LogFile.open(files, wanted);
  }

  /** How many bytes were read of it. */
  get size(): number {
    return this.#position;
  }

  /** Whether somebody removed it, or cut it. */
  isDamaged(): boolean {
    const { nlink, size } = fstatSync(this.#fd);
    return nlink === 0 || size < this.#position;
  }

  /** Adds `text` in one write, behind whatever others add. */
  write(text: string): void {
    if (writeSync(this.#fd, text) < text.length) throw ioFailure(`${this.#path} is full`);
  }

  /** The lines that were added since the last call. */
  readLines(): readonly ReadLine[] {
    const texts = (this.#rest + this.#readNew()).split("\n");
    const lines = texts.map((text) => ({ text, line: parseLine(text) }));
    const last = lines.at(-1);
    // Its writer may be in the middle of it.
    this.#rest = last === undefined || last.line !== undefined ? "" : last.text;
    return lines;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readNew(): string {
    const size = fstatSync(this.#fd).size - this.#position;
    if (size <= 0) return "";
    const buffer = Buffer.allocUnsafe(size);
    const count = readSync(this.#fd, buffer, 0, size, this.#position);
    this.#position += count;
    return buffer.toString("latin1", 0, count);
  }
}
