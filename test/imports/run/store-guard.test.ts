import { describe, expect, it } from "vitest";
import type { Journal } from "../../../src/imports/journal/journal.ts";
import { RunAbort } from "../../../src/imports/run/abort.ts";
import { StoreGuard } from "../../../src/imports/run/store-guard.ts";
import { newPlace, open, statesOf } from "../support/journals.ts";

/** Returns a guard of a run that began with the store `storeId`, if it is known, and its results. */
function guard(storeId?: string) {
  const place = newPlace();
  const journal = open(place);
  if (storeId !== undefined) journal.recordStore(storeId);
  const abort = new RunAbort();
  const opened: string[] = [];
  const others = new Map<string, Journal>();
  const openOther = (id: string): Journal => {
    opened.push(id);
    const other = open({ ...newPlace(), suffix: "b" });
    others.set(id, other);
    return other;
  };
  const run = new StoreGuard({ journal, openOther, abort, host: "pets.example" });
  return { run, journal, abort, opened, others };
}

describe("accepts", () => {
  it("the first store that sends its id, and remembers it", () => {
    const { run, journal, abort } = guard();
    expect([run.accepts("A"), run.accepts("A")]).toEqual([true, true]);
    expect([journal.storeId, abort.reason]).toEqual(["A", undefined]);
  });

  it.each([[undefined], ["A"]])("no store other than %s, and stops the run", (storeId) => {
    const { run, journal, abort } = guard(storeId);
    expect([run.accepts("A"), run.accepts("B")]).toEqual([true, false]);
    expect(abort.reason?.error).toMatchObject({
      kind: "service",
      message: "the store at pets.example was replaced by another one during the run",
      facts: { retryable: true },
    });
    expect(journal.storeId).toBe("A");
  });
});

describe("recordElsewhere", () => {
  it("records what the other store did in that store's journal, not in the run's own", () => {
    const { run, journal, opened, others } = guard("A");
    run.recordElsewhere("B", 0, "added", 7n);
    run.recordElsewhere("B", 1, "rejected");
    run.recordElsewhere("B", 2, "unknown");
    run.recordElsewhere("C", 3, "added", 8n);
    expect([opened, others.get("B")?.storeId, others.get("C")?.storeId]).toEqual([
      ["B", "C"],
      "B",
      "C",
    ]);
    expect(statesOf(others.get("B") ?? journal, 4)).toBe("aruu");
    expect(statesOf(journal, 4)).toBe("uuuu");
  });

  it("repeats no row that ended there before, and settles one that did not", () => {
    const { run, journal, others } = guard("A");
    run.recordElsewhere("B", 0, "added", 7n);
    run.recordElsewhere("B", 1, "rejected");
    run.recordElsewhere("B", 2, "unknown");
    const other = others.get("B") ?? journal;
    other.markRows([3], "known");
    for (const row of [0, 1, 2, 3]) run.recordElsewhere("B", row, "added", 9n);
    expect(other.counts).toMatchObject({ added: 2, rejected: 1, unknown: 0, known: 1 });
  });
});

it("closes the journals of other stores, not the run's own", () => {
  const { run, journal, others } = guard("A");
  run.recordElsewhere("B", 0, "rejected");
  run.close();
  expect(() => others.get("B")?.recordSend(5)).toThrow(/journal/);
  expect(() => journal.recordSend(5)).not.toThrow();
});
