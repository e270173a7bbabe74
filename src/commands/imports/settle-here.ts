import { formatMoment, plural } from "../../core/format.ts";
import type { Pet } from "../../core/pet.ts";
import type { ImportDatabase } from "../../imports/database/database.ts";
import { listImports, unknownRows } from "../../imports/database/import-records.ts";
import { tryInputs } from "../../imports/run/locks.ts";
import { settleUnknown } from "../../imports/run/settle.ts";
import type { AskedStore } from "../asked-store.ts";
import type { Context } from "../context.ts";

/**
 * Settles the unknown rows of imports at the store that responds, and those of others that stand for rows of these, by its
 * lists. Says what the service may still be adding, and which imports other processes have; the inputs in `held` this one
 * has locked. Returns the animals that the first import added, by the numbers of its rows.
 */
export async function settleHere(
  context: Pick<Context, "clock" | "machine" | "note">,
  database: ImportDatabase,
  store: AskedStore,
  ids: readonly number[],
  held: readonly string[] = [],
): Promise<ReadonlyMap<number, Pet>> {
  const { clock, machine, note } = context;
  const others = ids.flatMap((id) => unknownRows(database, { id }).map(({ sentBy }) => sentBy));
  const wanted = [...ids, ...others];
  const found = listImports(database, wanted);
  using locks = tryInputs(
    database.folder,
    found.filter(({ input }) => !held.includes(input)),
  );
  for (const { id, name } of found.filter((each) => locks.busy.includes(each)))
    await note(`Import ${id} (${name}) is running: check its rows later.`);
  const busy = new Set(locks.busy.map(({ input }) => input));
  // What was read before they were locked may be out of date.
  const imports = listImports(database, wanted).filter(({ input }) => !busy.has(input));
  if (imports.length === 0) return new Map();
  const parts = {
    api: store.api,
    database,
    time: { clock, machine },
    storeId: store.id,
  };
  const { added, pending, settledAt } = await settleUnknown(parts, imports);
  const still = `The service may still add ${plural(pending, "animal")} sent less than a minute ago: check again at ${formatMoment(settledAt, clock.now())}.`;
  if (pending > 0) await note(still);
  const own = added.filter(({ row }) => row.import === ids[0]);
  return new Map(own.map(({ row, pet }) => [row.number, pet]));
}
