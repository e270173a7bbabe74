import { copyFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";
import type { RateLimits } from "../../../src/client/types.ts";
import { Failure } from "../../../src/core/errors.ts";
import {
  importsOfInput,
  readImport,
  recordedRows,
} from "../../../src/imports/database/import-records.ts";
import { ImportRun, RunAbort } from "../../../src/imports/run/import-run.ts";
import type { Row } from "../../../src/imports/types.ts";
import { testMachine } from "../../support/command/machine.ts";
import { instantTime, rowsOf, testImport } from "../support/run.ts";

const rows = rowsOf(100);
const [one, two, three, four] = rows as [Row, Row, Row, Row];

const addedAs = (row: Row, id: bigint) =>
  ({ outcome: "added", row, pet: { ...row.pet, id } }) as const;

/** Begins an import of 100 rows, and returns what records them, and tells whether a send was synced. */
async function newRecorder() {
  const { database, record } = await testImport(rows);
  let known: RateLimits = {};
  const recorder = new ImportRun(new RunAbort(), database, record, instantTime, () => known);
  const transact = vi.spyOn(database, "transact");
  let sent = 0;
  const send = async (count: number): Promise<void> => {
    const next = rows.slice(sent, sent + count);
    sent += count;
    await Promise.all(next.map((row) => recorder.recordSend(row, "unsent")));
  };
  /** Sends rows until this many are left, then one more with these limits; returns whether that was synced. */
  const syncs = async (left: number, limits: RateLimits): Promise<boolean> => {
    known = {};
    await send(100 - left - sent);
    known = limits;
    await send(1);
    return transact.mock.lastCall?.[1] === true;
  };
  const end = () => recorder.recordEnd(addedAs(one, 7n));
  const counts = () => readImport(database, record.id);
  return { recorder, database, transact, syncs, end, counts };
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
  for (const end of [addedAs(one, 7n), { outcome: "unknown", row: one, failure }] as const) {
    await recorder.recordSend(one, "unsent");
    expect(await recorder.recordElsewhere(end, "unsent", "new")).toBe(true);
  }
  const other = importsOfInput(database, "a").find(({ store }) => store === "new");
  expect(other && recordedRows(database, other, 0, 1)).toMatchObject([{ state: "added" }]);
});

/** Makes the next transaction fail, and returns why. */
function failNext({ transact }: Awaited<ReturnType<typeof newRecorder>>): Error {
  const full = new Error("the disk is full");
  transact.mockRejectedValueOnce(full);
  return full;
}

it("records outcomes that failed with the next ones, and no sends, which did not leave", async () => {
  const made = await newRecorder();
  const { recorder, database, counts } = made;
  await recorder.recordSend(one, "unsent");
  const full = failNext(made);
  const failed = [recorder.recordEnd(addedAs(one, 7n)), recorder.recordSend(two, "unsent")];
  expect(await Promise.allSettled(failed)).toEqual(
    failed.map(() => ({ status: "rejected", reason: full })),
  );
  expect(counts()).toMatchObject({ unknown: 1, added: 0 });
  await recorder.recordSend(three, "unsent");
  const recorded = recordedRows(database, recorder.record, 0, 3);
  expect(recorded).toMatchObject([
    { number: 0, state: "added", id: "7" },
    { number: 1, state: "unsent" },
    { number: 2, state: "sent" },
  ]);
  expect(counts()).toMatchObject({ unknown: 1, added: 1, unsent: 98 });
});

it("puts outcomes that failed in front of those that waited meanwhile", async () => {
  const made = await newRecorder();
  const { recorder, database, transact } = made;
  for (const row of [one, two]) await recorder.recordSend(row, "unsent");
  const failing = Promise.withResolvers<never>();
  transact.mockReturnValueOnce(failing.promise);
  // Refused, then sent again and added: in another order these are no changes of what is recorded.
  const refused = recorder.recordUnsent(one, "unsent");
  await vi.waitFor(() => expect(transact).toHaveBeenCalledTimes(3), 60_000);
  const later = [recorder.recordSend(one, "unsent"), recorder.recordEnd(addedAs(one, 7n))];
  failing.reject(new Error("the disk is full"));
  await expect(refused).rejects.toThrow("full");
  await Promise.all([...later, recorder.recordEnd(addedAs(two, 8n))]);
  const recorded = recordedRows(database, recorder.record, 0, 2);
  expect(recorded.map(({ state, id }) => `${state} ${id}`)).toEqual(["added 7", "added 8"]);
});

it("records what failed at last when it is settled", async () => {
  const made = await newRecorder();
  const { recorder, counts } = made;
  await recorder.recordSend(one, "unsent");
  failNext(made);
  await expect(recorder.recordEnd(addedAs(one, 7n))).rejects.toThrow("full");
  await recorder.settled();
  expect(counts()).toMatchObject({ added: 1, unknown: 0 });
});

it.each<[string, string]>([
  ["was forgotten", "DELETE FROM rows WHERE number = 0"],
  ["was recorded by another process", "UPDATE rows SET state = 'added' WHERE number = 0"],
])("throws where a row %s, and records none of that turn", async (_what, change) => {
  const { recorder, database, counts } = await newRecorder();
  database.run(change);
  const sends = [one, two].map((row) => recorder.recordSend(row, "unsent"));
  for (const { status } of await Promise.allSettled(sends)) expect(status).toBe("rejected");
  await expect(recorder.recordSend(one, "unsent")).rejects.toThrow("not as recorded");
  expect(counts()).toMatchObject({ unknown: 0 });
});

it("records an outcome that is unknown as sent, with what is known of it", async () => {
  const { recorder, database } = await newRecorder();
  const failure = new Failure("outcome_unknown", "no answer");
  await recorder.recordSend(one, "unsent");
  await recorder.recordEnd({ outcome: "unknown", row: one, failure });
  const [row] = recordedRows(database, recorder.record, 0, 1);
  expect(row).toMatchObject({ state: "sent", outcome: "unknown", error: "no answer" });
  expect(recorder.recorded([one, two])).toEqual(
    new Map([
      [0, row],
      [1, expect.anything()],
    ]),
  );
  expect(recorder.recorded([{ index: 100 }])).toEqual(new Map());
});

it("records when the last row was sent, or became unknown, by the start of the machine and its uptime", async () => {
  const { database, record } = await testImport(rows);
  let uptime = 0;
  const time = {
    clock: { now: () => 5 * uptime },
    machine: testMachine({ monotonic: () => uptime }),
  };
  const recorder = new ImportRun(new RunAbort(), database, record, time, () => ({}));
  uptime = 70;
  await recorder.recordSend(one, "unsent");
  uptime = 90;
  await recorder.recordEnd(addedAs(one, 7n));
  const times = { boot: "testboot", sentAt: 70, active: 450 };
  expect(readImport(database, record.id)).toMatchObject(times);
  uptime = 110;
  const failure = new Failure("outcome_unknown", "no answer");
  await recorder.recordEnd({ outcome: "unknown", row: two, failure }, "unsent");
  expect(readImport(database, record.id)).toMatchObject({ sentAt: 110 });
});

it.each<[string, string, string, string | null, string]>([
  ["Rex", "NAME_TAKEN", "rex is there", "NAME_TAKEN", "… is there"],
  ["Rex", "rex-1", "no", null, "no"],
  ["Rex", "not a word", "no", null, "no"],
  ["Rex", "x".repeat(41), "no", null, "no"],
  ["Al", "invalid", "Al is invalid", "invalid", "… is invalid"],
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
  const { database, syncs, end, counts } = await newRecorder();
  await syncs(99, {});
  change(database.folder);
  await expect(syncs(98, {})).rejects.toMatchObject({
    kind: "io",
    message: expect.stringMatching(/imports\.db was moved or removed during the run$/),
    facts: { retryable: false },
  });
  await end();
  expect(counts()).toMatchObject({ unknown: 1, added: 1, unsent: 98 });
});
