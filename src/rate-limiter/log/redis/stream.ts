/** An entry of the stream: its id, and its fields and values one after the other. */
export interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
}

/** The work of one round trip. */
export interface StreamStep {
  /** The fields of an entry to append. */
  readonly add?: readonly string[];
  /** Entries before this id are removed. */
  readonly trimTo?: string;
  /** Entries after this id are read. */
  readonly after: string;
}

/** What a step found, all at the same moment. */
export interface StreamReply {
  readonly addedId?: string | undefined;
  readonly entries: readonly StreamEntry[];
  readonly firstId?: string | undefined;
  /** The server's time, in ms since the epoch. */
  readonly serverMs: number;
}

/** A stream on a server. Every method rejects if the server can't be used. */
export interface Stream {
  /** Runs a step in one atomic round trip; steps run in the order of the calls. */
  step(step: StreamStep): Promise<StreamReply>;
  /** Closes the connection; steps in flight are given up. */
  close(): void;
}

/** The id before all others. */
export const startId = "0-0";

/** Returns whether `text` is an id of a stream's entry. */
export function isStreamId(text: string): boolean {
  return /^\d{1,15}-\d{1,15}$/.test(text);
}

/** Returns the time of an id, in ms since the epoch by the server's clock. */
export function idMs(id: string): number {
  return Number(id.split("-", 1)[0]);
}

/** Returns a negative number if the id `a` is before `b`, a positive one if it is after it, else 0. */
export function compareIds(a: string, b: string): number {
  return idMs(a) - idMs(b) || Number(a.split("-")[1]) - Number(b.split("-")[1]);
}
