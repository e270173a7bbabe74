import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Journal } from "../../../src/imports/journal/journal.ts";
import { readJournals } from "../../../src/imports/journal/read.ts";
import { readRowsHeader, rowsFile } from "../../../src/imports/known/rows-file.ts";
import { journalRef } from "../../../src/commands/add-from/input.ts";
import { prepareRun } from "../../../src/commands/add-from/prepare.ts";
import {
  apiKey,
  baseUrl,
  emptyContext,
  memoryInput,
  now,
  optionsWith,
  original,
} from "./past-runs.ts";

/** A world in which runs are prepared; the store replies with or without an id. */
function world() {
  const { context, past } = emptyContext();
  const input = memoryInput("abcd");
  const ref = journalRef(context, input, baseUrl);
  const store = { id: "A" as string | undefined, asked: 0 };
  const askStore = async (): Promise<string | undefined> => {
    store.asked += 1;
    return store.id;
  };
  const prepare = async (flags: object = {}, key = apiKey) => {
    const connection = { baseUrl, apiKey: key };
    const run = { input, connection, command: original, limits: () => ({}), askStore };
    const prepared = await prepareRun(context, optionsWith(flags), run);
    onTestFinished(() => prepared.journal.close());
    return prepared;
  };
  /** Makes a run that did this with its journal. */
  const ran = async (work: (journal: Journal) => void) => {
    const { journal } = await prepare();
    work(journal);
    journal.close();
  };
  return { past, ref, store, prepare, ran };
}

/** Adds these rows, and finishes with the last one. */
const add = (...rows: readonly number[]) => {
  return (journal: Journal): void => {
    for (const row of rows) {
      journal.recordSend(row);
      journal.recordOutcome(row, "added", BigInt(row));
    }
    if (journal.counts.unsent === 0) journal.finish();
  };
};

describe("a first run", () => {
  it("sends no request, and leaves its rows for later runs", async () => {
    const { ref, store, prepare } = world();
    const { journal, notes } = await prepare();
    const { counts, storeId } = journal;
    expect([store.asked, notes, counts.unsent, storeId]).toEqual([0, [], 4, undefined]);
    expect(readRowsHeader(rowsFile(ref.folder, ref.name))).toMatchObject({
      rows: 4,
      input: "new.csv",
    });
  });

  it("removes what is forgotten", async () => {
    const { ref, past, prepare } = world();
    past("x", "a", { isFinished: true, at: now - 91 * 24 * 3_600_000 });
    await prepare();
    expect(existsSync(rowsFile(ref.folder, "1".repeat(32)))).toBe(false);
  });
});

describe("a later run of the same input", () => {
  it("continues in the journal of the store that replies", async () => {
    const { store, prepare, ran } = world();
    await ran(add(0));
    const { journal } = await prepare();
    expect([store.asked, journal.storeId, journal.state(0)]).toEqual([1, "A", "added"]);
  });

  it("starts a new journal for another store", async () => {
    const { ref, store, prepare, ran } = world();
    await ran((journal) => journal.recordStore("A"));
    store.id = "B";
    const { journal, openOther } = await prepare();
    expect([journal.storeId, journal.counts.unsent]).toEqual(["B", 4]);
    expect(openOther("C").file).not.toBe(journal.file);
    expect(readJournals(ref).map(({ storeId }) => storeId)).toContain("A");
  });

  it.each<[object, string, number]>([
    [{ resume: true }, "continues", 3],
    [{ again: true }, "sends all", 4],
  ])("with %j %s although the store is unknown", async (flags, _what, unsent) => {
    const { store, prepare, ran } = world();
    store.id = undefined;
    await ran(add(0));
    const { journal } = await prepare(flags, "pk_other");
    expect([journal.counts.unsent, journal.storeId]).toEqual([unsent, undefined]);
  });

  it("is refused if the store is unknown, and then holds no lock", async () => {
    const { store, prepare, ran } = world();
    store.id = undefined;
    await ran(add(0));
    await expect(prepare({}, "pk_other")).rejects.toMatchObject({ code: "store_unknown" });
    expect((await prepare()).journal.state(0)).toBe("added");
  });

  it.each([
    ["sends a finished one completely", add(0, 1, 2, 3), 4],
    ["continues an unfinished one", add(0), 3],
  ])("with --again %s", async (_what, work, unsent) => {
    const { prepare, ran } = world();
    await ran(work);
    const { journal } = await prepare({ again: true });
    expect(journal.counts.unsent).toBe(unsent);
  });
});

describe("rows that another file added", () => {
  it("stop the run, which leaves no journal and no lock", async () => {
    const { ref, past, prepare } = world();
    past("ab", "aa");
    await expect(prepare()).rejects.toMatchObject({ code: "already_added" });
    expect(readJournals(ref)).toEqual([]);
    await expect(prepare({ again: true })).resolves.toMatchObject({ notes: [] });
  });

  it.each<[object, string, object, readonly number[]]>([
    [{ onlyNew: true }, "ab", { known: 2, unsent: 2 }, [0, 1]],
    [{}, "b", { known: 0, unsent: 4 }, [1]],
    [{ again: true }, "ab", { known: 0, unsent: 4 }, [0, 1, 2, 3]],
  ])("with %j are marked permanently: %s", async (flags, pets, counts, marked) => {
    const { past, prepare } = world();
    past(pets, "aa".slice(0, pets.length));
    const { journal } = await prepare(flags);
    expect(journal.counts).toMatchObject(counts);
    expect([0, 1, 2, 3].filter((row) => journal.isMarked(row))).toEqual(marked);
  });

  it("do not affect --check-unknown, which sends nothing", async () => {
    const { past, store, prepare } = world();
    past("ab", "aa");
    const { journal } = await prepare({ checkUnknown: true });
    expect([journal.isMarked(0), store.asked]).toEqual([false, 0]);
  });
});
