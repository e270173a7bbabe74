import { makeStoreClock } from "../../../src/server/clock.ts";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
// The real store in a separate process, so that starting clients does not delay it.
// Options are passed as JSON in the first argument; everything else goes over the channel to the parent.
import { memoryLedger, type UsageLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { samplePets } from "../../../src/server/seed/generate.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { startStore } from "../../../src/server/store.ts";
import { type Visit, recordArrivals } from "./arrivals.ts";

/** What the store of a bench is started with. */
export interface BenchStoreOptions {
  /** As for `pets serve --plan`. */
  readonly plan: string;
  /** How many sample animals it has at the start. */
  readonly seed: number;
}

/** Where the store is. */
export interface BenchStoreReady {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What the store has seen. */
export interface BenchStoreReport {
  readonly visits: readonly Visit[];
  /** How many requests were refused because the key was banned. */
  readonly banned: number;
  /** The names of all animals, with duplicates. */
  readonly names: readonly string[];
}

const { plan, seed } = JSON.parse(process.argv[2] ?? "") as BenchStoreOptions;
const storage = memoryStorage();
const apiKey = makeKey();
await storage.putKey(keyRecord(apiKey, plan), Date.now());
await storage.addAll(samplePets(seed));

let banned = 0;
const book = memoryLedger();
const limits: UsageLedger = {
  ...book,
  admit: async (...request) => {
    const decision = await book.admit(...request);
    if (!decision.allowed && decision.code === "key_banned") banned += 1;
    return decision;
  },
};
const data = { storage, limits };
const { visits, listener } = recordArrivals();
const { port } = await startStore({
  host: "127.0.0.1",
  port: 0,
  clock: makeStoreClock({ now: Date.now, monotonic: () => performance.now() }),
  openData: async () => data,
  onError: (error) => console.error(error),
  listener,
});

process.once("message", async () => {
  const page = await storage.list({ limit: 1_000_000, status: undefined });
  const pets = JSON.parse(Buffer.from(page).toString()) as readonly { name: string }[];
  tell({ visits, banned, names: pets.map(({ name }) => name) });
});
process.once("disconnect", () => process.exit());
tell({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey });

function tell(message: BenchStoreReady | BenchStoreReport): void {
  process.send?.(message);
}
