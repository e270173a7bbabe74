import { readdirSync } from "node:fs";
import { ensurePrivateFolder } from "../../../platform/private-files.ts";
import type { LogRecord, Timestamp } from "../../rules/records.ts";
import { blockOf } from "../../rules/snapshot.ts";
import { emptyState, type LimiterState } from "../../rules/state.ts";
import { encodeLogRecord } from "../codec.ts";
import type { EventLog } from "../event-log.ts";
import { generations, pruneStale, type SegmentPaths } from "./segment-paths.ts";
import type { Segment } from "./segment.ts";
import { SegmentStore, maxAttempts } from "./segments.ts";

/**
 * A log that all processes of the user share. A record is one `O_APPEND` write, so all see the same
 * order, without a lock that a dead process could hold. A full segment ends with a seal; records after
 * the first seal do not count, and a process that reads it continues in the next segment, whose first
 * snapshot has the state of the sealed one. Throws the file system's errors.
 */
export class SharedFileLog implements EventLog {
  readonly #folder: string;
  readonly #segments: SegmentStore;
  readonly #now: () => Timestamp;
  #segment: Segment;

  /** Opens the log `files`, and removes stale state. `now` returns the machine's time. */
  constructor(files: SegmentPaths, now: () => Timestamp) {
    this.#folder = files.folder;
    this.#segments = new SegmentStore(files, now);
    this.#now = now;
    ensurePrivateFolder(files.folder);
    const entries = readdirSync(files.folder);
    pruneStale(files, entries, now().wall);
    const existing = generations(files, entries);
    this.#segment = this.#segments.openActive({ state: emptyState(), upTo: 0 }, 0, existing);
  }

  get state(): LimiterState {
    return this.#segment.state;
  }

  refresh(): void {
    this.#readNew(undefined);
  }

  append(...records: readonly LogRecord[]): void {
    const text = records.map(encodeLogRecord).join("");
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      this.#segment.file.write(text);
      if (!this.#readNew(text)) continue;
      if (this.#segment.isFull) this.#seal();
      return;
    }
    throw this.#segments.failure();
  }

  #seal(): void {
    this.#segment.file.write(encodeLogRecord({ stamp: this.#now(), event: { kind: "seal" } }));
    this.refresh();
  }

  /** Applies new records; returns true if `own` was among them and counts. */
  #readNew(own: string | undefined): boolean {
    const segment = this.#segment;
    const found = segment.readNew(this.#now(), own);
    if (found === undefined) this.#recover();
    else if (segment.sealed) this.#advanceTo(segment.file.generation);
    return found ?? false;
  }

  /** Continues with what is left of the log, and records the back-off again if it was lost. */
  #recover(): void {
    const { backoff, strikes } = this.state;
    ensurePrivateFolder(this.#folder);
    this.#advanceTo(0);
    const now = this.#now();
    const known = Math.max(now.uptime, this.state.backoff?.until ?? 0);
    if (backoff === undefined || backoff.until <= known) return;
    const event = blockOf(backoff, strikes, now.uptime);
    this.#segment.file.write(encodeLogRecord({ stamp: now, event }));
    this.#segment.readNew(now);
  }

  /** Continues in a segment later than `after`. */
  #advanceTo(after: number): void {
    const { state, file } = this.#segment;
    const segment = this.#segments.openActive({ state, upTo: file.generation }, after);
    file.close();
    this.#segment = segment;
  }
}
