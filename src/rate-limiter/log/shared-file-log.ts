import { readdirSync } from "node:fs";
import { ensurePrivateFolder } from "../../platform/private-files.ts";
import type { Segment, OwnAppend } from "./segment.ts";
import { SegmentStore, maxAttempts } from "./segments.ts";
import { encodeLine } from "./codec.ts";
import type { EventLog } from "./event-log.ts";
import { generationsAmong, type SegmentPaths, pruneStale } from "./segment-paths.ts";
import type { LogRecord, Timestamp } from "./records.ts";
import { emptyState, type LimiterState } from "../state.ts";

/** Whoever adds more often than this does not stop so soon, and lets the files grow longer. */
const longRunningAfter = 200;

/**
 * A log that all processes of the user share. A record is one `O_APPEND` write, so all see the same
 * order, without a lock that a dead process could hold. A full file ends with a seal; what comes
 * behind the first seal does not count, and whoever meets it goes on in the next file, whose first
 * beginning carries over what the sealed one came to. Throws what the file system says.
 */
export class SharedFileLog implements EventLog {
  readonly #folder: string;
  readonly #chapters: SegmentStore;
  readonly #now: () => Timestamp;
  #chapter: Segment;
  /** How often this process has added records. */
  #added = 0;

  /** Opens the log `files`, and removes state that was long forgotten. `now` is the machine's time. */
  constructor(files: SegmentPaths, now: () => Timestamp) {
    this.#folder = files.folder;
    this.#chapters = new SegmentStore(files, now);
    this.#now = now;
    ensurePrivateFolder(files.folder);
    const entries = readdirSync(files.folder);
    pruneStale(files, entries, now().wall);
    const there = generationsAmong(entries, files);
    this.#chapter = this.#chapters.openActive({ state: emptyState(), upTo: 0 }, 0, there);
  }

  get state(): LimiterState {
    return this.#chapter.state;
  }

  refresh(): void {
    this.#readNew(undefined);
  }

  append(...records: readonly LogRecord[]): void {
    const text = records.map(encodeLine).join("");
    this.#added += 1;
    for (let tries = 0; tries < maxAttempts; tries += 1) {
      this.#chapter.file.write(text);
      if (!this.#readNew({ text, records })) continue;
      if (this.#chapter.isFull(this.#added > longRunningAfter)) this.#seal();
      return;
    }
    throw this.#chapters.failure();
  }

  #seal(): void {
    this.#chapter.file.write(encodeLine({ stamp: this.#now(), event: { kind: "seal" } }));
    this.refresh();
  }

  /** Takes in what is new; answers whether `own` was among it, and counts. */
  #readNew(own: OwnAppend | undefined): boolean {
    const chapter = this.#chapter;
    const found = chapter.readNew(this.#now(), own);
    if (found === undefined) this.#recover();
    else if (chapter.sealed) this.#advanceTo(chapter.file.generation);
    return found ?? false;
  }

  /** Goes on with what is left of the log, and tells it of the wait that may have got lost. */
  #recover(): void {
    const { block, strikes } = this.state;
    ensurePrivateFolder(this.#folder);
    this.#advanceTo(0);
    const now = this.#now();
    const known = Math.max(now.uptime, this.state.block?.until ?? 0);
    if (block === undefined || block.until <= known) return;
    const waitMs = block.until - now.uptime;
    const event = { kind: "block", status: block.status, waitMs, strikes } as const;
    this.#chapter.file.write(encodeLine({ stamp: now, event }));
    this.#chapter.readNew(now);
  }

  /** Goes on in a file later than `after`. */
  #advanceTo(after: number): void {
    const { state, file } = this.#chapter;
    const chapter = this.#chapters.openActive({ state, upTo: file.generation }, after);
    file.close();
    this.#chapter = chapter;
  }
}
