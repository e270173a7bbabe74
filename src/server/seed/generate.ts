import { petStatuses } from "../../core/enums.ts";
import type { NewPet, WithOnly } from "../../core/pet.ts";

type SamplePet = WithOnly<NewPet, "name" | "categoryId" | "status">;

const petNames = words(`
  Biscuit, Mochi, Ñandú, Łatka, Sprout, 花子, Zoë, Pretzel, Øyvind, Clementine, Käthe,
  Пушок, Waffles, Éclair, Juniper, Şeker, Pickle, 小白, Marzipan, Čiko, Tofu, Bärli,
  Nimbus, Αργος, Peanut, Señor Bigotes, Truffle, Þór, Dumpling, 🐾 Pixel
`);
const epithets = words(`
  the Brave, the Sleepy, of the Sofa, the Second, von Schnurr, the Curious,
  the Swift, der Große, el Pequeño, the Unimpressed, la Magnifique, the Well-Fed
`);
const seedStatuses = [...petStatuses, undefined] as const;
const categories = 8;

/** Returns `count` animals of every status, and some without one; the same each time. */
export function samplePets(count: number): readonly SamplePet[] {
  // A constant seed, so that the animals are the same each time.
  const random = mulberry32(0x9e3779b9);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  return Array.from({ length: count }, (_, place) => {
    const name = pick(petNames) ?? "";
    const epithet = random() < 1 / 3 ? ` ${pick(epithets)}` : "";
    // In turn, so that even a few animals have every status.
    const status = seedStatuses[place % seedStatuses.length];
    const categoryId = BigInt(1 + Math.floor(random() * categories));
    return { name: name + epithet, categoryId, ...(status !== undefined && { status }) };
  });
}

/** Returns a generator of numbers from 0 up to 1, seeded with 32 bits: Tommy Ettinger's mulberry32. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function words(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}
