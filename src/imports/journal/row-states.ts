import type { RowEvent, RowMark } from "./codec.ts";
import type { RowState } from "../types.ts";

const states: readonly RowState[] = ["unsent", "sent", "added", "rejected", "unknown", "known"];
const [unsent, sent, added, rejected, unknown, known] = [0, 1, 2, 3, 4, 5] as const;
const stateMask = 7;
/** Set in addition to `sent` if an earlier send of the row may have added it. */
const maybeAddedFlag = 8;
/** Set if the row is to be sent although another run may have added one like it. */
const acceptedFlag = 16;

/** How many rows are in each state. */
export type RowCounts = Readonly<Record<RowState, number>>;

/** The state of each row of an input, in one byte per row. */
export class RowStates {
  readonly #bytes: Uint8Array;
  readonly #counts: Uint32Array = new Uint32Array(states.length);

  constructor(rows: number) {
    this.#bytes = new Uint8Array(rows);
    this.#counts[unsent] = rows;
  }

  get length(): number {
    return this.#bytes.length;
  }

  state(row: number): RowState {
    return states[(this.#bytes[row] ?? 0) & stateMask] ?? "unsent";
  }

  get counts(): RowCounts {
    const of = (state: number): number => this.#counts[state] ?? 0;
    return {
      unsent: of(unsent),
      sent: of(sent),
      added: of(added),
      rejected: of(rejected),
      unknown: of(unknown),
      known: of(known),
    };
  }

  /** How many rows may still have to be sent. */
  get left(): number {
    const { counts } = this;
    return counts.unsent + counts.sent + counts.unknown;
  }

  /** Returns whether `event` is allowed in the row's state: an added or rejected row is never sent. */
  allows(row: number, event: RowEvent): boolean {
    const byte = this.#bytes[row];
    return byte !== undefined && transition(byte, event) !== undefined;
  }

  /** Applies `event` to a row; returns false, and changes nothing, if it is not allowed. */
  apply(row: number, event: RowEvent): boolean {
    const byte = this.#bytes[row];
    if (byte === undefined) return false;
    const next = transition(byte, event);
    if (next === undefined) return false;
    this.#move(byte & stateMask, -1);
    this.#move(next & stateMask, 1);
    this.#bytes[row] = next | (byte & acceptedFlag);
    return true;
  }

  /** Returns whether the row was compared with those of other runs, and marked. */
  isMarked(row: number): boolean {
    const byte = this.#bytes[row] ?? 0;
    return (byte & stateMask) === known || (byte & acceptedFlag) !== 0;
  }

  /** Marks `count` rows from `row` on; returns false if one does not exist, or a `known` one was sent. */
  mark(row: number, count: number, mark: RowMark): boolean {
    if (row + count > this.#bytes.length) return false;
    for (let each = row; each < row + count; each += 1) {
      const byte = this.#bytes[each] ?? 0;
      if (mark === "accepted") this.#bytes[each] = byte | acceptedFlag;
      else if ((byte & stateMask) !== unsent) return false;
      else {
        this.#move(unsent, -1);
        this.#move(known, 1);
        this.#bytes[each] = known;
      }
    }
    return true;
  }

  /** Makes every row unsent. */
  clear(): void {
    this.#bytes.fill(unsent);
    this.#counts.fill(0);
    this.#counts[unsent] = this.#bytes.length;
  }

  #move(state: number, by: number): void {
    this.#counts[state] = (this.#counts[state] ?? 0) + by;
  }
}

/** Returns the byte of a row after `event`; undefined if the event is not allowed. */
function transition(byte: number, event: RowEvent): number | undefined {
  const state = byte & stateMask;
  if (state === added || state === rejected || state === known) return undefined;
  switch (event) {
    case "send":
      return state === unsent ? sent : sent | maybeAddedFlag;
    case "refused":
      // A refusal of this send says nothing about an earlier one that was left in doubt.
      if (state !== sent) return undefined;
      return (byte & maybeAddedFlag) === 0 ? unsent : unknown;
    case "added":
      return state === sent ? added : undefined;
    case "rejected":
      return rejected;
    case "unknown":
      return unknown;
    case "found":
      return state === unsent ? undefined : added;
    case "absent":
      return state === unsent ? undefined : unsent;
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}
