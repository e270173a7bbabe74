import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { isSystemError, othersMask } from "../files/private.ts";
import { tamperedWith, unusable } from "./journal-failures.ts";
import { type Expected, Replay, type Replayed } from "./journal-replay.ts";
import { Sync } from "./journal-sync.ts";

const chunkBytes = 256 * 1024;
const none = -1;

// A link could lead out of the folder, and a pipe would never open. Windows knows neither flag.
const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT } = constants;
const careful = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** What the journal at `expected.file` comes to; undefined where there is none. Makes and changes nothing. */
export function readJournalFile(expected: Expected): Replayed | undefined {
  const fd = openIfThere(expected.file);
  if (fd === undefined) return undefined;
  try {
    return replay(fd, expected);
  } finally {
    closeSync(fd);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, O_RDONLY | careful);
  } catch (error) {
    if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return undefined;
    throw unusable(file, "read", error);
  }
}

function replay(fd: number, expected: Expected): Replayed | undefined {
  const { file } = expected;
  const whole = new Replay(expected);
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    const length = readChunk(fd, buffer, file);
    if (length === 0) return whole.end();
    whole.take(buffer.subarray(0, length));
  }
}

function readChunk(fd: number, buffer: Buffer, file: string): number {
  try {
    if (!fstatSync(fd).isFile()) throw new Error("it is not a file");
    return readSync(fd, buffer);
  } catch (error) {
    throw unusable(file, "read", error);
  }
}

/** The file of a journal, open to be added to by this process alone. Every method throws an io Failure. */
export class JournalFile {
  readonly file: string;
  /** None once it is closed: the number may be that of another file then. */
  #fd: number;
  readonly #sync: Sync;
  #length = 0;
  #isBroken = false;

  /** Opens `file`, which is made with mode 0600 where it is not there. */
  constructor(file: string) {
    this.file = file;
    try {
      this.#fd = openSync(file, O_RDWR | O_APPEND | O_CREAT | careful, 0o600);
      if ((fstatSync(this.#fd).mode & othersMask) !== 0) fchmodSync(this.#fd, 0o600);
    } catch (error) {
      throw unusable(file, "opened", error);
    }
    this.#sync = new Sync(this.#fd);
  }

  /** What is in it; undefined where not even a first record is. Throws a usage Failure where it is damaged. */
  replay(expected: Omit<Expected, "file">): Replayed | undefined {
    return replay(this.#fd, { ...expected, file: this.file });
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
    this.#sync.soon();
  }

  /** Makes sure that what was written is on the disk. */
  sync(): void {
    this.#try(() => this.#sync.now());
  }

  /** Throws where something else removed, cut or filled the file: what is written then is lost. */
  check(): void {
    this.#try(() => {
      const { nlink, size } = fstatSync(this.#fd);
      if (nlink === 0 || size !== this.#length) throw tamperedWith(this.file);
    });
  }

  /** Brings what is left to the disk, as far as that goes. Never throws. */
  close(): void {
    const fd = this.#fd;
    this.#fd = none;
    if (fd !== none) this.#sync.end(() => closeSync(fd));
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
      throw unusable(this.file, "written", error);
    }
  }
}
