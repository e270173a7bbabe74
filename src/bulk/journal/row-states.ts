import type { RowEvent } from "./codec.ts";
import type { RowState } from "../types.ts";

const states: readonly RowState[] = ["unsent", "sent", "added", "rejected", "unknown"];
const [unsent, sent, added, rejected, unknown] = [0, 1, 2, 3, 4] as const;
const stateMask = 7;
/** Set besides `sent` if an earlier send of the row may have added it. */
const maybeAddedFlag = 8;

/** How many rows are in each state. */
export type RowCounts = Readonly<Record<RowState, number>>;

/** The state of each row of an input, in a byte a row. */
export class RowStates {
  readonly #bytes: Uint8Array;
  readonly #counts: Uint32Array = new Uint32Array(states.length);

  constructor(rows: number) {
    this.#bytes = new Uint8Array(rows);
    this.#counts[unsent] = rows;
  }

  state(row: number): RowState {
    return states[(this.#bytes[row] ?? 0) & stateMask] ?? "unsent";
  }

  get counts(): RowCounts {
    const [unsentRows = 0, sentRows = 0, addedRows = 0, rejectedRows = 0, unknownRows = 0] =
      this.#counts;
    return {
      unsent: unsentRows,
      sent: sentRows,
      added: addedRows,
      rejected: rejectedRows,
      unknown: unknownRows,
    };
  }

  /** How many rows may still have to be sent. */
  get left(): number {
    return this.#bytes.length - (this.#counts[added] ?? 0) - (this.#counts[rejected] ?? 0);
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
    this.#bytes[row] = next;
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
  if (state === added || state === rejected) return undefined;
  switch (event) {
    case "send":
      return state === unsent ? sent : sent | maybeAddedFlag;
    case "refused":
      // A refusal of this send says nothing about an earlier one that was left in doubt.
      if (state !== sent) return undefined;
      return byte === sent ? unsent : unknown;
    case "added":
      return state === sent ? added : undefined;
    case "rejected":
      return rejected;
    case "unknown":
      return unknown;
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}
