import { describe, expect, it } from "vitest";
import type { RowEvent } from "../../../src/imports/journal/codec.ts";
import { RowStates } from "../../../src/imports/journal/row-states.ts";
import type { RowState } from "../../../src/imports/types.ts";

const events = ["send", "refused", "added", "rejected", "unknown"] as const;

describe("the state of a row", () => {
  it.each<readonly [string, RowState]>([
    ["", "unsent"],
    ["send", "sent"],
    ["send refused", "unsent"],
    ["send added", "added"],
    ["send rejected", "rejected"],
    ["send unknown", "unknown"],
    ["send send", "sent"],
    ["send send refused", "unknown"],
    ["send unknown send refused", "unknown"],
    ["send unknown send added", "added"],
    ["send refused send refused", "unsent"],
    ["rejected", "rejected"],
    ["unknown", "unknown"],
    ["unknown send refused send", "sent"],
  ])("after %j is %s", (before, state) => {
    const rows = new RowStates(2);
    for (const event of eventsIn(before)) expect(rows.apply(1, event)).toBe(true);
    expect([rows.state(0), rows.state(1)]).toEqual(["unsent", state]);
  });

  it.each<readonly [string, readonly RowEvent[]]>([
    ["", ["refused", "added"]],
    ["send", []],
    ["send unknown", ["refused", "added"]],
    ["send added", events],
    ["send rejected", events],
  ])("after %j may not change by %j", (before, refused) => {
    const rows = new RowStates(1);
    for (const event of eventsIn(before)) rows.apply(0, event);
    const state = rows.state(0);
    expect(events.filter((event) => !rows.allows(0, event))).toEqual(refused);
    for (const event of refused) expect(rows.apply(0, event)).toBe(false);
    expect(rows.state(0)).toBe(state);
  });
});

function eventsIn(text: string): readonly RowEvent[] {
  return text === "" ? [] : (text.split(" ") as RowEvent[]);
}

describe("the counts", () => {
  it("follow the states, and start again when all are cleared", () => {
    const rows = new RowStates(5);
    for (const row of [0, 1, 2, 3]) rows.apply(row, "send");
    rows.apply(0, "added");
    rows.apply(1, "rejected");
    rows.apply(2, "unknown");
    expect(rows.counts).toEqual({
      unsent: 1,
      sent: 1,
      added: 1,
      rejected: 1,
      unknown: 1,
      known: 0,
    });
    expect(rows.left).toBe(3);
    rows.clear();
    expect(rows.counts).toEqual({
      unsent: 5,
      sent: 0,
      added: 0,
      rejected: 0,
      unknown: 0,
      known: 0,
    });
    expect([rows.left, rows.state(0)]).toEqual([5, "unsent"]);
  });
});

it.each([-1, 2, 0.5, NaN])("ignores row %s of two", (row) => {
  const rows = new RowStates(2);
  expect([rows.allows(row, "send"), rows.apply(row, "send")]).toEqual([false, false]);
  expect(rows.counts.unsent).toBe(2);
});
