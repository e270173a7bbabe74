import * as fc from "fast-check";
import {
  type JournalRecord,
  encodeLine,
  type RowEvent,
} from "../../../src/imports/journal/codec.ts";
import type { JournalIdentity } from "../../../src/imports/journal/replay.ts";
import type { RowState } from "../../../src/imports/types.ts";

/** How many rows the generated journals have: few, so that much happens to each. */
export const rowCount = 4;
export const name = "0123456789abcdef".repeat(2);
export const key = "feedbeef".repeat(4);
export const expected: JournalIdentity = { file: "/state/x.journal", name, rows: rowCount };
export const begin: JournalRecord = {
  kind: "begin",
  rows: rowCount,
  name,
  key,
  input: "my shelter.csv",
};

/** Returns the records as a file, and where each ends in it. */
export function written(records: readonly JournalRecord[]): {
  readonly bytes: Buffer;
  readonly ends: readonly number[];
} {
  let crc = 0;
  let text = "";
  const ends: number[] = [];
  for (const record of records) {
    const line = encodeLine(record, crc);
    crc = line.crc;
    text += line.text;
    ends.push(text.length);
  }
  return { bytes: Buffer.from(text, "latin1"), ends };
}

/** An independent model of the states of rows: by all events of a row since it was unsent. */
function modelState(events: readonly RowEvent[]): RowState {
  const last = events.findLast((event) => event !== "refused");
  if (events.includes("added")) return "added";
  if (events.includes("rejected")) return "rejected";
  // A send that was not refused may have taken effect; a refused one is as if it never happened.
  const standing = withoutTakenBack(events);
  if (standing.length === 0) return "unsent";
  const takenBack = events.at(-1) === "refused";
  return last === "unknown" || takenBack ? "unknown" : "sent";
}

function withoutTakenBack(events: readonly RowEvent[]): readonly RowEvent[] {
  const standing: RowEvent[] = [];
  for (const event of events) {
    if (event === "refused") standing.pop();
    else standing.push(event);
  }
  return standing;
}

/** Returns whether `event` may happen to a row after `events`. */
function mayFollow(events: readonly RowEvent[], event: RowEvent): boolean {
  const state = modelState(events);
  if (state === "added" || state === "rejected") return false;
  return (event !== "refused" && event !== "added") || state === "sent";
}

/** Returns the events of each row after the first `count` records. */
export function eventsAfter(records: readonly JournalRecord[], count: number): RowEvent[][] {
  const events: RowEvent[][] = Array.from({ length: rowCount }, () => []);
  for (const record of records.slice(0, count)) {
    if (record.kind === "again") for (const each of events) each.length = 0;
    else if ("row" in record && !("count" in record)) events[record.row]?.push(record.kind);
  }
  return events;
}

/** Returns the state of each row after the first `count` records. */
export const statesAfter = (records: readonly JournalRecord[], count: number): RowState[] =>
  eventsAfter(records, count).map(modelState);

const row = fc.nat(rowCount - 1);
const again: JournalRecord = { kind: "again", key: "a".repeat(32) };
const anyRecord: fc.Arbitrary<JournalRecord> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("send"), row }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("refused"), row }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("added"),
      row,
      id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rejected"), row }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("unknown"), row }) },
  { weight: 1, arbitrary: fc.constantFrom<JournalRecord>(again, { kind: "finished" }) },
);

/** The records of a journal: any that may follow each other. */
export const journal: fc.Arbitrary<readonly JournalRecord[]> = fc
  .array(anyRecord, { maxLength: 40 })
  .map((candidates) => {
    const records: JournalRecord[] = [begin];
    for (const record of candidates) {
      const events =
        "row" in record && !("count" in record)
          ? eventsAfter(records, records.length)[record.row]
          : undefined;
      if (
        events === undefined ||
        !("row" in record) ||
        "count" in record ||
        mayFollow(events, record.kind)
      )
        records.push(record);
    }
    return records;
  });
