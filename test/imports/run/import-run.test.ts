import { copyFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";
import type { RateLimits } from "../../../src/client/types.ts";
import { Failure } from "../../../src/core/errors.ts";
import { importsOfInput, recordedRows } from "../../../src/imports/database/import-records.ts";
import { ImportRun, RunAbort } from "../../../src/imports/run/import-run.ts";
import type { Row } from "../../../src/imports/types.ts";
import { instantClock, rowsOf, testImport } from "../support/run.ts";

const rows = rowsOf(100);
const [one, two, three, four] = rows as [Row, Row, Row, Row];

/** Begins an import of 100 rows, and returns what records them, and tells whether a send was synced. */
async function newRecorder() {
  const { database, record } = await testImport(rows);
  let known: RateLimits = {};
  const recorder = new ImportRun(new RunAbort(), database, record, instantClock, () => known);
  const transact = vi.spyOn(database, "transact");
  let sent = 0;
  const send = async (count: number): Promise<void> => {
    const changes = rows
      .slice(sent, sent + count)
      .map((row) => ({ row, from: "unsent", to: "sent" }) as const);
    sent += count;
    await Promise.all(changes.map((change) => recorder.recordChange(change)));
  };
  /** Sends rows until this many are left, then one more with these limits; returns whether that was synced. */
  const syncs = async (left: number, limits: RateLimits): Promise<boolean> => {
    known = {};
    await send(100 - left - sent);
    known = limits;
    await send(1);
    return transact.mock.lastCall?.[1] === true;
  };
  const end = () => recorder.recordEnd({ outcome: "added", row: one, pet: { ...one.pet, id: 7n } });
  return { recorder, database, transact, syncs, end };
}

it.each<[string, RateLimits, number, boolean]>([
  ["none of a run without limits", {}, 98, false],
  ["not those of a run that fits into the window", { limit: 100, remaining: 84 }, 84, false],
  ["one that does not fit into a window", { limit: 99, remaining: 90 }, 10, true],
  ["one that does not fit into the rest of it", { limit: 1000, remaining: 83 }, 84, true],
])("once a row has ended, syncs %s", async (_what, limits, left, expected) => {
  const { syncs, end } = await newRecorder();
  await syncs(99, {});
  await end();
  expect(await syncs(left, limits)).toBe(expected);
});

it("syncs until a row has ended, and after the service refused one, but not a connection", async () => {
  const { recorder, syncs, end } = await newRecorder();
  expect(await syncs(99, {})).toBe(true);
  await end();
  await syncs(80, {});
  await recorder.recordUnsent(two, "unsent");
  expect(await syncs(70, {})).toBe(false);
  await recorder.recordUnsent(three, "unsent", true);
  await recorder.recordUnsent(four, "unsent");
  expect(await syncs(60, {})).toBe(true);
});

it("keeps that a row was added at another store, if it is unknown there later", async () => {
  const { recorder, database } = await newRecorder();
  expect(["old", "new"].map((store) => recorder.accepts(store))).toEqual([true, false]);
  const failure = new Failure("outcome_unknown", "no answer");
  for (const end of [
    { outcome: "added", row: one, pet: { ...one.pet, id: 7n } },
    { outcome: "unknown", row: one, failure },
  ] as const) {
    await recorder.recordChange({ row: one, from: "unsent", to: "sent" });
    expect(await recorder.recordElsewhere(end, "unsent", "new")).toBe(true);
  }
  const other = importsOfInput(database, "a").find(({ store }) => store === "new");
  expect(other && recordedRows(database, other, 0, 1)).toMatchObject([{ state: "added" }]);
});

it("records outcomes that failed with the next ones, and no sends, which did not leave", async () => {
  const { recorder, database, transact } = await newRecorder();
  const send = (row: Row) => recorder.recordChange({ row, from: "unsent", to: "sent" });
  const added = (row: Row, id: bigint) =>
    recorder.recordEnd({ outcome: "added", row, pet: { ...row.pet, id } });
  await send(one);
  transact.mockImplementationOnce(() => {
    throw new Error("the disk is full");
  });
  const failed = await Promise.allSettled([added(one, 7n), send(two)]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(recorder.counts).toMatchObject({ sent: 1, added: 0 });
  await send(three);
  const recorded = recordedRows(database, recorder.record, 0, 3);
  expect(recorded).toMatchObject([
    { number: 0, state: "added", id: "7" },
    { number: 1, state: "unsent" },
    { number: 2, state: "sent" },
  ]);
  expect(recorder.counts).toMatchObject({ sent: 1, added: 1, unsent: 98 });
});

it.each<[string, string, string, string | null, string]>([
  ["Rex", "NAME_TAKEN", "rex is there, REX too", "NAME_TAKEN", "… is there, … too"],
  ["Rex", "rex-1", "no", null, "no"],
  ["Rex", "not a word", "no", null, "no"],
  ["Fräulein Müller", "x".repeat(41), "FRÄULEIN MÜLLER? fräulein m…; sorry", null, "…? …; sorry"],
  ['a"b', "c", 'the name a\\"b, and a"b', "c", "the name …, and …"],
  ["Rex 🐶🐶", "c", "no Rex \uFFFD…", "c", "no …"],
  ["İx", "c", "İX and more", "c", "… and more"],
])("records no name: of %j, %j, %j", async (name, code, message, storedCode, stored) => {
  const { recorder, database } = await newRecorder();
  const row = { ...one, pet: { ...one.pet, name } };
  const failure = new Failure("usage", message, { code });
  await recorder.recordEnd({ outcome: "rejected", row, failure }, "unsent");
  const [recorded] = recordedRows(database, recorder.record, 0, 1);
  expect(recorded).toMatchObject({ code: storedCode, error: stored });
});

it.each<[string, (folder: string) => void]>([
  ["its directory is renamed", (folder) => renameSync(folder, `${folder}.old`)],
  ["its directory is removed", (folder) => rmSync(folder, { recursive: true })],
  ["its log is removed", (folder) => rmSync(path.join(folder, "imports.db-wal"))],
  [
    "it is replaced",
    (folder) => {
      const file = path.join(folder, "imports.db");
      copyFileSync(file, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
  ],
])("records no send any more when %s, but the ends of those before", async (_what, change) => {
  const { recorder, database, syncs, end } = await newRecorder();
  await syncs(99, {});
  change(database.folder);
  await expect(syncs(98, {})).rejects.toMatchObject({
    kind: "io",
    message: expect.stringMatching(/imports\.db was moved or removed during the run$/),
    facts: { retryable: false },
  });
  await end();
  expect(recorder.counts).toMatchObject({ sent: 1, added: 1, unsent: 98 });
});
