import {
  closeSync,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { type CodePack, type CompiledCode, decodePack, encodePack } from "./code-pack.ts";
import { removeForgotten } from "./forgotten.ts";

/** So many runs add to a pack what they compiled; by then it has what such runs need. */
export const runsToLearn = 3;

/** The compiled code that one kind of run needs, as earlier runs left it in a file. */
export class CodeCache {
  readonly #file: string | undefined;
  readonly #pack: CodePack;

  /**
   * `file` is where runs leave it, undefined where they can't; `shipped` is what to begin with, where
   * the program brought something along.
   */
  constructor(file: string | undefined, shipped?: CodePack) {
    this.#file = file;
    this.#pack = readPack(file) ?? shipped ?? { code: new Map(), runs: 0 };
  }

  /** What was compiled of the module with this file name. */
  compiled(name: string): Uint8Array | undefined {
    return this.#pack.code.get(name);
  }

  /** Whether a run that ended well can add something, though it loaded nothing new. */
  get isLearning(): boolean {
    return this.#pack.runs < runsToLearn;
  }

  /**
   * Keeps what a run has compiled, which ended well or not, beside what is known. After the first
   * runs that is only the code of the files `fresh`, of which none was known that this Node takes:
   * so a pack does not grow with each odd case. Where it can't be kept, it is not, and `compile`,
   * which takes its time, is not called.
   */
  keep(
    compile: () => CompiledCode,
    fresh: ReadonlySet<string>,
    endedWell: boolean,
    pid: number,
  ): void {
    if (this.#file === undefined) return;
    writePack(this.#file, pid, () => {
      const { code, runs } = this.#pack;
      const more = [...compile()].filter(([name]) => this.isLearning || fresh.has(name));
      return { code: new Map([...code, ...more]), runs: runs + (endedWell ? 1 : 0) };
    });
  }
}

/** Makes the folder `folder`, which nobody but `user` can write to; answers whether there is such a one. */
export function ensureOwnFolder(folder: string, user: number | undefined): boolean {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false }) ?? made(folder);
    const isOwn = user === undefined || (found.uid === user && (found.mode & 0o77) === 0);
    return isOwn && found.isDirectory();
  } catch {
    return false;
  }
}

function made(folder: string): Stats {
  mkdirSync(folder, { mode: 0o700 });
  return lstatSync(folder);
}

/** The pack that `writePack` left in `file`; undefined where there is none, or no file. */
export function readPack(file: string | undefined): CodePack | undefined {
  if (file === undefined) return undefined;
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    const { size, mtimeMs } = fstatSync(fd);
    const bytes = Buffer.allocUnsafeSlow(size);
    return readSync(fd, bytes) === size ? decodePack(bytes, mtimeMs / 1000) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Writes a pack to `file`, and cleans up around it; `pid` is this process. Where that can't be done,
 * it is not.
 */
export function writePack(file: string, pid: number, make: () => CodePack): void {
  const now = Date.now();
  try {
    replaceFile(file, `${file}.${pid}-${now}`, Math.floor(now / 1000), make);
    removeForgotten(file, now);
  } catch {
    // The next run will try again.
  }
}

/** Whoever starts meanwhile finds the old file or the new one; and whoever changes it, changes its time. */
function replaceFile(file: string, unfinished: string, at: number, make: () => CodePack): void {
  const fd = openSync(unfinished, "wx", 0o600);
  try {
    try {
      writeFileSync(fd, encodePack(make(), at));
      futimesSync(fd, at, at);
    } finally {
      // Some file systems tell only now that there was no room.
      closeSync(fd);
    }
    renameSync(unfinished, file);
  } catch (error) {
    unlinkSync(unfinished);
    throw error;
  }
}
