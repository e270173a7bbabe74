import { statSync } from "node:fs";
import type { NewPet } from "../../core/pet.ts";
import { seedFile } from "../../server/seed/file.ts";
import { samplePets } from "../../server/seed/generate.ts";
import type { Storage } from "../../server/storage/storage.ts";
import type { Context } from "../context.ts";

/** Returns the animals of the seed, from the first, each time it is called. */
export type Seed = () => Iterable<NewPet> | AsyncIterable<NewPet>;

/**
 * Returns the seed: a number of generated animals, or a file of them, which is read to its end before
 * anything else is done. Throws a Failure if it is not valid.
 */
export async function openSeed(
  { signal }: Context,
  seed: number | string | undefined,
): Promise<Seed | undefined> {
  if (seed === undefined) return undefined;
  if (typeof seed === "number") return () => samplePets(seed);
  // A pipe can be read only once, so its animals are kept in memory.
  const kept: NewPet[] | undefined = isPipe(seed) ? [] : undefined;
  for await (const pet of untilEnded(seedFile(seed), signal)) kept?.push(pet);
  return () => kept ?? seedFile(seed);
}

/** Fills an empty store; a store that has animals is not changed, with a note. */
export async function loadSeed(
  context: Context,
  storage: Storage,
  seed: Seed | undefined,
): Promise<void> {
  if (seed === undefined) return;
  if (await storage.isEmpty()) await storage.addAll(untilEnded(seed(), context.signal));
  else await context.note("The store already has animals; --seed was ignored.");
}

function isPipe(file: string): boolean {
  try {
    return !statSync(file).isFile();
  } catch {
    // Reading it reports what is wrong.
    return false;
  }
}

async function* untilEnded(
  pets: Iterable<NewPet> | AsyncIterable<NewPet>,
  signal: AbortSignal,
): AsyncGenerator<NewPet> {
  for await (const pet of pets) {
    signal.throwIfAborted();
    yield pet;
  }
}
