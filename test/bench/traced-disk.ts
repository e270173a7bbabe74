import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The system calls that a trace must have: `strace -f -y -xx -s 200000 -e trace=…`. */
export const tracedCalls =
  "openat,write,pwrite64,ftruncate,fsync,fdatasync,link,linkat,rename,renameat,unlink,unlinkat";

/** A change of a file: bytes at a place, or its length. */
type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };

/** What is on the disk of a file for sure, and what was changed since; `end` is where the next `write` goes. */
interface DiskFile {
  synced: Buffer;
  changes: Change[];
  end: number;
}

/** Files as the system calls of a program change them. Their names are on the disk at once, in order. */
export class TracedDisk {
  readonly #folders: readonly string[];
  readonly #isOwn: (name: string) => boolean;
  readonly #files = new Map<string, DiskFile>();

  /** Follows the files of some folders whose names are wanted, from what they are now. */
  constructor(folders: readonly string[], isOwn: (name: string) => boolean) {
    this.#folders = folders;
    this.#isOwn = isOwn;
    for (const file of this.#present())
      this.#files.set(file, { synced: readFileSync(file), changes: [], end: 0 });
  }

  #present(): readonly string[] {
    return this.#folders.flatMap((folder) =>
      readdirSync(folder)
        .filter(this.#isOwn)
        .map((name) => path.join(folder, name)),
    );
  }

  /** Replays a trace. Calls of other threads may come between the beginning of a call and its end. */
  replay(trace: string): void {
    const begun = new Map<string, string>();
    for (const line of trace.split("\n")) {
      const [, thread = "", text = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
      const [, start] = /^(.*) <unfinished \.\.\.>$/.exec(text) ?? [];
      const [, rest] = /^<\.\.\. \w+ resumed>(.*)$/.exec(text) ?? [];
      if (start !== undefined) begun.set(thread, start);
      else this.#apply(rest === undefined ? text : `${begun.get(thread)}${rest}`);
    }
  }

  #apply(call: string): void {
    const [, name = "", words = "", result = "-1"] = /^(\w+)\((.*)\) += (-?\d+)/.exec(call) ?? [];
    if (Number(result) < 0) return;
    const [, descriptor = ""] = /^\d+<([^>]*)>/.exec(words) ?? [];
    const file = this.#files.get(bytesOf(descriptor).toString());
    const [bytes = Buffer.alloc(0), second] = Array.from(words.matchAll(/"([^"]*)"/g), ([, hex]) =>
      bytesOf(hex),
    );
    const last = Number(/(\d+)$/.exec(words)?.[1]);
    if (name === "openat" || file === undefined)
      this.#rename(name, words, [bytes.toString(), second?.toString() ?? ""]);
    else if (name === "ftruncate") file.changes.push({ length: last });
    else if (name === "pwrite64") file.changes.push({ at: last, bytes });
    else if (name === "write") {
      file.changes.push({ at: file.end, bytes });
      file.end += bytes.length;
    } else for (const change of file.changes.splice(0)) make(file, change);
  }

  #rename(call: string, words: string, [from, to]: readonly [string, string]): void {
    const file = this.#files.get(from);
    const isMade = call === "openat" && words.includes("O_CREAT") && file === undefined;
    const isIn = this.#folders.includes(path.dirname(from)) && this.#isOwn(path.basename(from));
    if (isMade && isIn) this.#files.set(from, { synced: Buffer.alloc(0), changes: [], end: 0 });
    if (/^(?:link|rename)/.test(call) && file !== undefined) this.#files.set(to, file);
    if (/^(?:unlink|rename)/.test(call)) this.#files.delete(from);
  }

  /** Leaves in the folders what was synced, and of each file none, some or all of the changes since; returns how many went. */
  cut(): number {
    for (const file of this.#present()) rmSync(file);
    let lost = 0;
    for (const [name, file] of this.#files) {
      const part = Math.floor(3 * Math.random()) / 2;
      for (const change of file.changes.splice(0)) {
        if (Math.random() < part) make(file, change);
        else lost += 1;
      }
      writeFileSync(name, file.synced, { mode: 0o600 });
    }
    return lost;
  }
}

function bytesOf(hex = ""): Buffer {
  return Buffer.from(hex.replaceAll("\\x", ""), "hex");
}

function make(file: DiskFile, change: Change): void {
  const length = "length" in change ? change.length : change.at + change.bytes.length;
  const changed = Buffer.alloc("length" in change ? length : Math.max(length, file.synced.length));
  file.synced.copy(changed);
  if ("bytes" in change) change.bytes.copy(changed, change.at);
  file.synced = changed;
}
