import type { NewPet } from "../api/types.ts";
import type { Context } from "../context.ts";
import { madeUpPets } from "../store/made-up-pets.ts";
import { seedFile } from "../store/seed-file.ts";
import type { Storage } from "../store/storage.ts";

/** How often, in rows, a request to end is looked at. */
const rowsBetweenLooks = 1_000;

/** Reads a seed file to its end before anything else is done. Throws a Failure when it is not valid. */
export async function checkSeed(seed: number | string | undefined): Promise<void> {
  if (typeof seed !== "string") return;
  const rows = seedFile(seed);
  while ((await rows.next()).done !== true);
}

/** Fills an empty store with `seed`: a number of made-up animals, or a file of them. */
export async function plantSeed(
  context: Context,
  storage: Storage,
  seed: number | string | undefined,
): Promise<void> {
  if (seed === undefined) return;
  if (await storage.isEmpty()) {
    const pets = typeof seed === "number" ? madeUpPets(seed) : seedFile(seed);
    await storage.addAll(untilEnded(pets, context.signal));
  } else {
    await context.note("The store has animals already, and was left as it is without --seed.");
  }
}

async function* untilEnded(
  pets: Iterable<NewPet> | AsyncIterable<NewPet>,
  signal: AbortSignal,
): AsyncGenerator<NewPet> {
  let count = 0;
  for await (const pet of pets) {
    if (count % rowsBetweenLooks === 0) signal.throwIfAborted();
    count += 1;
    yield pet;
  }
}
