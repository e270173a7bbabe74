import { readdirSync } from "node:fs";
import { ioFailure } from "../errors.ts";
import { ensurePrivateFolder } from "../files/private.ts";
import { carry } from "./carry.ts";
import { beginLine, type Line, recordLine } from "./line.ts";
import type { GateLog } from "./log.ts";
import { hugeSize, LogFile, type ReadLine } from "./log-file.ts";
import {
  generations,
  generationsAmong,
  type LogFiles,
  removeForgotten,
  removeOlder,
} from "./log-files.ts";
import type { GateRecord } from "./records.ts";
import { applyRecord, expire } from "./replay.ts";
import type { Stamp } from "./stamp.ts";
import { emptyState, type GateState } from "./state.ts";

/**
 * A file of so many bytes is sealed, and the log goes on in the next one: every command reads it
 * whole, which takes some 10 µs a record where nothing has compiled yet.
 */
const fullSize = 8 * 1024;
/** How often the log may have gone on under an append before that is given up. */
const mostTries = 50;

/** A record that was just written, and how. */
interface Own {
  readonly text: string;
  readonly record: GateRecord;
}

/**
 * A log that all processes of the user share. A record is one `O_APPEND` write, so all see the same
 * order, without a lock that a dead process could hold. A full file ends with a seal; what comes
 * behind the first seal does not count, and whoever meets it goes on in the next file, whose first
 * beginning carries over what the sealed one came to. Throws what the file system says.
 */
export class FileLog implements GateLog {
  readonly #files: LogFiles;
  readonly #now: () => Stamp;
  #file: LogFile;
  #state = emptyState();
  #begun = false;
  #full = fullSize;

  /** Opens the log `files`, and removes state that was long forgotten. `now` is the machine's time. */
  constructor(files: LogFiles, now: () => Stamp) {
    this.#files = files;
    this.#now = now;
    ensurePrivateFolder(files.folder);
    const entries = readdirSync(files.folder);
    removeForgotten(files.folder, entries, now().wall);
    this.#file = LogFile.open(files, generationsAmong(entries, files).at(-1) ?? 1);
    this.refresh();
    // Whoever made the latest file may have died before its first line.
    while (!this.#begun && generations(files).includes(this.#file.generation - 1)) {
      this.#file = this.#replace(this.#file.generation - 1);
      this.refresh();
    }
    if (!this.#begun) this.#begin(emptyState());
  }

  get state(): GateState {
    return this.#state;
  }

  refresh(): void {
    this.#takeIn(undefined);
  }

  append(record: GateRecord): void {
    const text = recordLine(record);
    for (let tries = 0; tries < mostTries; tries += 1) {
      this.#file.write(text);
      if (!this.#takeIn({ text, record })) continue;
      if (this.#file.position > this.#full) this.#seal();
      return;
    }
    throw ioFailure(`the state in ${this.#files.folder} does not keep what is written to it`);
  }

  get #latest(): number {
    return generations(this.#files).at(-1) ?? 1;
  }

  #seal(): void {
    this.#file.write(recordLine({ stamp: this.#now(), event: { kind: "seal" } }));
    this.refresh();
  }

  /** Takes in what is new; answers whether `own` was among it, and counts. */
  #takeIn(own: Own | undefined): boolean {
    const size = this.#file.size();
    if (size === undefined) {
      ensurePrivateFolder(this.#files.folder);
      this.#goOn(this.#latest);
      return false;
    }
    if (size === this.#file.position) return false;
    if (own !== undefined && this.#begun && this.#file.pass(own.text, size)) {
      applyRecord(this.#state, own.record, this.#now());
      return true;
    }
    return this.#takeLines(this.#file.readLines(size), own?.text.slice(1));
  }

  #takeLines(lines: readonly ReadLine[], own: string | undefined): boolean {
    const now = this.#now();
    let found = false;
    for (const { text, line } of lines) {
      if (line === undefined) continue;
      if (this.#take(line, text.length, now) === "sealed") {
        this.#goOn(Math.max(this.#latest, this.#file.generation + 1));
        break;
      }
      found ||= text === own;
    }
    return found;
  }

  #take(line: Line, length: number, now: Stamp): "taken" | "sealed" {
    const isBeginning = "carried" in line;
    // The first beginning counts, and nothing before it.
    if (isBeginning === this.#begun) return "taken";
    this.#begun = true;
    if (isBeginning) this.#full = fullSize + length;
    const records = isBeginning ? line.carried : [line.record];
    for (const record of records) applyRecord(this.#state, record, now);
    return !isBeginning && line.record.event.kind === "seal" ? "sealed" : "taken";
  }

  /** Goes on with the file of `generation`, or of a later one. */
  #goOn(generation: number): void {
    const carried = this.#state;
    this.#file = this.#replace(generation);
    this.refresh();
    if (!this.#begun) this.#begin(carried);
  }

  #replace(generation: number): LogFile {
    this.#file.close();
    this.#state = emptyState();
    this.#begun = false;
    return LogFile.open(this.#files, generation);
  }

  #begin(carried: GateState): void {
    const now = this.#now();
    expire(carried, now.uptime);
    this.#file.write(beginLine(carry(carried, now)));
    this.refresh();
    removeOlder(this.#files, this.#file.generation, hugeSize);
  }
}
