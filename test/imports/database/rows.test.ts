import { expect, it, vi } from "vitest";
import type { RateLimits } from "../../../src/client/types.ts";
import { recordedRows, RowRecorder } from "../../../src/imports/database/rows.ts";
import type { Row } from "../../../src/imports/types.ts";
import { instantClock, rowsOf, testImport } from "../support/run.ts";

const rows = rowsOf(100);

/** Begins an import of 100 rows, and returns what records them, and tells whether a send was synced. */
async function newRecorder() {
  const { database, record } = await testImport(rows);
  let known: RateLimits = {};
  const recorder = new RowRecorder(database, record, instantClock, () => known);
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
  return { recorder, database, transact, syncs };
}

it.each<[string, RateLimits, number, boolean]>([
  ["the first sends, while no limit is known", {}, 85, true],
  ["no later ones without limits", {}, 84, false],
  ["not those of a run that fits into the window", { limit: 100, remaining: 84 }, 84, false],
  ["one that does not fit into a window", { limit: 99, remaining: 90 }, 10, true],
  ["one that does not fit into the rest of it", { limit: 1000, remaining: 83 }, 84, true],
])("syncs %s", async (_what, limits, left, expected) => {
  const { syncs } = await newRecorder();
  expect(await syncs(left, limits)).toBe(expected);
});

it("records outcomes that failed with the next ones, and no sends, which did not leave", async () => {
  const { recorder, database, transact } = await newRecorder();
  const [one, two, three] = rows;
  if (one === undefined || two === undefined || three === undefined) throw new Error("no rows");
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

it("syncs from when limits have set the pace, or after a refusal", async () => {
  const paced = await newRecorder();
  expect(await paced.syncs(50, { limit: 10 })).toBe(true);
  expect(await paced.syncs(40, {})).toBe(true);
  const { recorder, syncs } = await newRecorder();
  expect(await syncs(50, {})).toBe(false);
  await recorder.recordUnsent(rows[0] as Row, "unsent");
  expect(await syncs(40, {})).toBe(true);
});
