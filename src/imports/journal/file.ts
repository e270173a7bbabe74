import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, writeSync } from "node:fs";
import { journalModified, journalIoFailure } from "./errors.ts";
import { openJournalFile, replayFile } from "./read.ts";
import type { JournalIdentity, Replayed } from "./replay.ts";
import { DeferredSync } from "./deferred-sync.ts";

const none = -1;
const { O_RDWR, O_APPEND, O_CREAT } = constants;

/** The file of a journal, open for appending by this process alone. Every method throws an io Failure. */
export class JournalFile {
  readonly file: string;
  /** `none` after `close`: the number may then belong to another file. */
  #fd: number;
  readonly #sync: DeferredSync;
  #length = 0;
  #isBroken = false;

  /** Opens `file`; creates it with mode 0600 if it does not exist. */
  constructor(file: string) {
    this.file = file;
    try {
      this.#fd = openJournalFile(file, O_RDWR | O_APPEND | O_CREAT);
    } catch (error) {
      throw journalIoFailure(file, "opened", error);
    }
    this.#sync = new DeferredSync(this.#fd);
  }

  /** Returns its content; undefined without a complete first record. Throws a usage Failure if it is damaged. */
  replay(expected: Omit<JournalIdentity, "file">): Replayed | undefined {
    return replayFile(this.#fd, { ...expected, file: this.file });
  }

  /** Truncates the file to its first `length` bytes. */
  truncate(length: number): void {
    this.#length = length;
    this.#try(() => {
      if (fstatSync(this.#fd).size !== length) ftruncateSync(this.#fd, length);
    });
  }

  /** Appends `text`, of ASCII characters: all of it, or nothing if there is no room. */
  write(text: string): void {
    this.#try(() => {
      if (this.#isBroken) throw new Error("an earlier record is not whole");
      this.#sync.throwIfFailed();
      this.#writeAll(text);
    });
    this.#length += text.length;
    this.#sync.schedule();
  }

  /** Syncs all that was written to the disk. */
  sync(): void {
    this.#try(() => this.#sync.flush());
  }

  /**
   * Throws if something else removed, moved, truncated or wrote to the file, so that no later run would
   * find what is written to it.
   */
  check(): void {
    this.#try(() => {
      const { size, ino } = fstatSync(this.#fd);
      const there = lstatSync(this.file, { throwIfNoEntry: false })?.ino;
      if (size !== this.#length || there !== ino) throw journalModified(this.file);
    });
  }

  /** Syncs what is left, ignoring errors, and closes the file. Never throws. */
  close(): void {
    const fd = this.#fd;
    this.#fd = none;
    if (fd !== none) this.#sync.close(() => closeSync(fd));
  }

  #writeAll(text: string): void {
    try {
      for (let rest = text; rest !== "";) rest = rest.slice(writeSync(this.#fd, rest));
    } catch (error) {
      this.#isBroken = true;
      ftruncateSync(this.#fd, this.#length);
      this.#isBroken = false;
      throw error;
    }
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw journalIoFailure(this.file, "written", error);
    }
  }
}
