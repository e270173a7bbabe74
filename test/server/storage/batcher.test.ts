import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createBatcher } from "../../../src/server/storage/batcher.ts";

/** Returns work that records its batches, doubles numbers, refuses 13, and ends each batch on request. */
function slowWork(limits: { readonly concurrency: number; readonly maxBatch: number }) {
  const batches: (readonly number[])[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const ask = createBatcher<number, number>(async (batch) => {
    batches.push(batch);
    const end = Promise.withResolvers<void>();
    ends.push(end);
    await end.promise;
    return batch.map((item) => (item === 13 ? new Error("unlucky") : item * 2));
  }, limits);
  return { ask, batches, ends };
}

it("collects what arrives in one turn, and what arrives while it is busy", async () => {
  const { ask, batches, ends } = slowWork({ concurrency: 1, maxBatch: 3 });
  const first = [ask(1), ask(13), ask(2)];
  await turn();
  const later = [3, 4, 5, 6].map((item) => ask(item));
  await turn();
  expect(batches).toEqual([[1, 13, 2]]);
  ends[0]?.resolve();
  expect(await Promise.allSettled(first)).toMatchObject([
    { value: 2 },
    { reason: { message: "unlucky" } },
    { value: 4 },
  ]);
  await turn();
  ends[1]?.resolve();
  await turn();
  await turn();
  ends[2]?.resolve();
  expect(await Promise.all(later)).toEqual([6, 8, 10, 12]);
  expect(batches).toEqual([[1, 13, 2], [3, 4, 5], [6]]);
});

it("runs as many batches at once as allowed", async () => {
  const { ask, batches } = slowWork({ concurrency: 2, maxBatch: 1 });
  for (const item of [1, 2, 3]) void ask(item);
  await turn();
  await turn();
  await turn();
  expect(batches).toEqual([[1], [2]]);
});

it("fails one batch without the others", async () => {
  const { ask, ends } = slowWork({ concurrency: 1, maxBatch: 1 });
  const [one, two] = [ask(1), ask(2)];
  await turn();
  ends[0]?.reject(new Error("no"));
  await expect(one).rejects.toThrow("no");
  await turn();
  ends[1]?.resolve();
  expect(await two).toBe(4);
});
