import type { RowEvent } from "./codec.ts";
import type { RowState } from "../types.ts";

const states: readonly RowState[] = ["unsent", "open", "added", "rejected", "unknown"];
const [unsent, open, added, rejected, unknown] = [0, 1, 2, 3, 4] as const;
const stateMask = 7;
/** Stands beside `open` where an earlier send of the row may have added it. */
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
    const [unsentRows = 0, openRows = 0, addedRows = 0, rejectedRows = 0, unknownRows = 0] =
      this.#counts;
    return {
      unsent: unsentRows,
      open: openRows,
      added: addedRows,
      rejected: rejectedRows,
      unknown: unknownRows,
    };
  }

  /** How many rows may still have to be sent. */
  get left(): number {
    return this.#bytes.length - (this.#counts[added] ?? 0) - (this.#counts[rejected] ?? 0);
  }

  /** Whether `event` may happen to the row as it is: one that was added or rejected is never sent. */
  allows(row: number, event: RowEvent): boolean {
    const byte = this.#bytes[row];
    return byte !== undefined && transition(byte, event) !== undefined;
  }

  /** Takes in what happened to a row; answers whether it may. */
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

/** What becomes of a row's byte; undefined where `event` can't happen to it. */
function transition(byte: number, event: RowEvent): number | undefined {
  const state = byte & stateMask;
  if (state === added || state === rejected) return undefined;
  switch (event) {
    case "send":
      return state === unsent ? open : open | maybeAddedFlag;
    case "back":
      // What an earlier send left in doubt a refusal of this one does not settle.
      if (state !== open) return undefined;
      return byte === open ? unsent : unknown;
    case "added":
      return state === open ? added : undefined;
    case "rejected":
      return rejected;
    case "unknown":
      return unknown;
    default:
      throw new TypeError(`unknown event ${String(event satisfies never)}`);
  }
}
