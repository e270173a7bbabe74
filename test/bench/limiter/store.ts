import { makeStoreClock } from "../../../src/server/clock.ts";
import { listen } from "../../../src/server/http/server.ts";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { samplePets } from "../../../src/server/seed/generate.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { serveStore } from "../../../src/server/store.ts";
import { recordArrivals, type Visit } from "./arrivals.ts";

// The real store in a separate process, so that starting clients does not delay it. The plan of its key is
// the first argument; everything else goes over the channel to the parent.

/** Where the store is. */
export interface BenchStoreReady {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** What the store has seen, and the names of all animals, with duplicates. */
export interface BenchStoreReport {
  readonly visits: readonly Visit[];
  readonly names: readonly string[];
}

const storage = memoryStorage();
const apiKey = makeKey();
await storage.putKey(keyRecord(apiKey, process.argv[2] ?? ""), Date.now());
await storage.addAll(samplePets(20));
const data = { storage, limits: memoryLedger() };
const { visits, listener } = recordArrivals();
const clock = makeStoreClock({ now: Date.now, monotonic: () => performance.now() });
const listening = await listen({ host: "127.0.0.1", port: 0, now: clock.moment });
const { port } = serveStore(listening, data, {
  clock,
  onError: (error) => console.error(error),
  listener,
});

process.once("message", async () => {
  const page = await storage.list({ limit: 1_000_000, status: undefined });
  const pets = JSON.parse(Buffer.from(page).toString()) as readonly { name: string }[];
  tell({ visits, names: pets.map(({ name }) => name) });
});
process.once("disconnect", () => process.exit());
tell({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey });

function tell(message: BenchStoreReady | BenchStoreReport): void {
  process.send?.(message);
}
