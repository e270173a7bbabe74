import { readdirSync } from "node:fs";
import { ensurePrivateFolder } from "../files/private.ts";
import type { Chapter, Own } from "./chapter.ts";
import { Chapters, mostTries } from "./chapters.ts";
import { recordLine } from "./line.ts";
import type { GateLog } from "./log.ts";
import { generationsAmong, type LogFiles, removeForgotten } from "./log-files.ts";
import type { GateRecord } from "./records.ts";
import type { Stamp } from "./stamp.ts";
import { emptyState, type GateState } from "./state.ts";

/** Whoever adds more often than this does not stop so soon, and lets the files grow longer. */
const manyRecords = 200;

/**
 * A log that all processes of the user share. A record is one `O_APPEND` write, so all see the same
 * order, without a lock that a dead process could hold. A full file ends with a seal; what comes
 * behind the first seal does not count, and whoever meets it goes on in the next file, whose first
 * beginning carries over what the sealed one came to. Throws what the file system says.
 */
export class FileLog implements GateLog {
  readonly #folder: string;
  readonly #chapters: Chapters;
  readonly #now: () => Stamp;
  #chapter: Chapter;
  /** How often this process has added records. */
  #added = 0;

  /** Opens the log `files`, and removes state that was long forgotten. `now` is the machine's time. */
  constructor(files: LogFiles, now: () => Stamp) {
    this.#folder = files.folder;
    this.#chapters = new Chapters(files, now);
    this.#now = now;
    ensurePrivateFolder(files.folder);
    const entries = readdirSync(files.folder);
    removeForgotten(files, entries, now().wall);
    const there = generationsAmong(entries, files);
    this.#chapter = this.#chapters.inUse({ state: emptyState(), upTo: 0 }, 0, there);
  }

  get state(): GateState {
    return this.#chapter.state;
  }

  refresh(): void {
    this.#takeIn(undefined);
  }

  append(...records: readonly GateRecord[]): void {
    const text = records.map(recordLine).join("");
    this.#added += 1;
    for (let tries = 0; tries < mostTries; tries += 1) {
      this.#chapter.file.write(text);
      if (!this.#takeIn({ text, records })) continue;
      if (this.#chapter.isFull(this.#added > manyRecords)) this.#seal();
      return;
    }
    throw this.#chapters.failure();
  }

  #seal(): void {
    this.#chapter.file.write(recordLine({ stamp: this.#now(), event: { kind: "seal" } }));
    this.refresh();
  }

  /** Takes in what is new; answers whether `own` was among it, and counts. */
  #takeIn(own: Own | undefined): boolean {
    const chapter = this.#chapter;
    const found = chapter.takeIn(this.#now(), own);
    if (found === undefined) this.#recover();
    else if (chapter.sealed) this.#goOn(chapter.file.generation);
    return found ?? false;
  }

  /** Goes on with what is left of the log, and tells it of the wait that may have got lost. */
  #recover(): void {
    const { block, strikes } = this.state;
    ensurePrivateFolder(this.#folder);
    this.#goOn(0);
    const now = this.#now();
    const known = Math.max(now.uptime, this.state.block?.until ?? 0);
    if (block === undefined || block.until <= known) return;
    const waitMs = block.until - now.uptime;
    const event = { kind: "block", status: block.status, waitMs, strikes } as const;
    this.#chapter.file.write(recordLine({ stamp: now, event }));
    this.#chapter.takeIn(now);
  }

  /** Goes on in a file later than `after`. */
  #goOn(after: number): void {
    const { state, file } = this.#chapter;
    const chapter = this.#chapters.inUse({ state, upTo: file.generation }, after);
    file.close();
    this.#chapter = chapter;
  }
}
