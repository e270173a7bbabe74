import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, writeSync } from "node:fs";
import { journalModified, journalIoFailure } from "./errors.ts";
import { openJournalFile, replayFile } from "./read.ts";
import type { JournalIdentity, Replayed } from "./replay.ts";
import { DeferredSync } from "./deferred-sync.ts";

const none = -1;
const { O_RDWR, O_APPEND, O_CREAT } = constants;

/** The file of a journal, open to be added to by this process alone. Every method throws an io Failure. */
export class JournalFile {
  readonly file: string;
  /** None once it is closed: the number may be that of another file then. */
  #fd: number;
  readonly #sync: DeferredSync;
  #length = 0;
  #isBroken = false;

  /** Opens `file`, which is made with mode 0600 where it is not there. */
  constructor(file: string) {
    this.file = file;
    try {
      this.#fd = openJournalFile(file, O_RDWR | O_APPEND | O_CREAT);
    } catch (error) {
      throw journalIoFailure(file, "opened", error);
    }
    this.#sync = new DeferredSync(this.#fd);
  }

  /** What is in it; undefined where not even a first record is. Throws a usage Failure where it is damaged. */
  replay(expected: Omit<JournalIdentity, "file">): Replayed | undefined {
    return replayFile(this.#fd, { ...expected, file: this.file });
  }

  /** Forgets what is behind the first `length` bytes. */
  cut(length: number): void {
    this.#length = length;
    this.#try(() => {
      if (fstatSync(this.#fd).size !== length) ftruncateSync(this.#fd, length);
    });
  }

  /** Adds `text`, of ASCII characters. Where there is no room for all of it none of it stays. */
  write(text: string): void {
    this.#try(() => {
      if (this.#isBroken) throw new Error("an earlier record is not whole");
      this.#sync.throwIfFailed();
      this.#writeAll(text);
    });
    this.#length += text.length;
    this.#sync.schedule();
  }

  /** Makes sure that what was written is on the disk. */
  sync(): void {
    this.#try(() => this.#sync.flush());
  }

  /**
   * Throws where something else removed, cut or filled the file, or moved it, so that no run finds
   * it. What is written then is lost.
   */
  check(): void {
    this.#try(() => {
      const { size, ino } = fstatSync(this.#fd);
      const there = lstatSync(this.file, { throwIfNoEntry: false })?.ino;
      if (size !== this.#length || there !== ino) throw journalModified(this.file);
    });
  }

  /** Brings what is left to the disk, as far as that goes. Never throws. */
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
