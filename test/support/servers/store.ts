import { makeStoreClock, type StoreClock } from "../../../src/server/clock.ts";
import { listen, type ListenOptions } from "../../../src/server/http/server.ts";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { parseFaults, parseLatency } from "../../../src/server/lab/fault-spec.ts";
import { parseScript } from "../../../src/server/lab/script.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { samplePets } from "../../../src/server/seed/generate.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import type { OwnStorage, Storage, StoreData } from "../../../src/server/storage/storage.ts";
import { serveStore, type Store, type StoreOptions } from "../../../src/server/store.ts";
import { whenFinished } from "../program/when-finished.ts";

export interface TestStoreOptions {
  /** `free`, `pro`, `business`, `enterprise` (the default here) or another plan. */
  readonly plan?: string;
  readonly seed?: number;
  /** Returns the store's time in ms since the epoch; by default the machine's. */
  readonly clock?: () => number;
  /** Where animals and keys are stored; by default in memory. */
  readonly storage?: Storage;
  readonly banMs?: number;
  readonly hasPage?: boolean;
  /** What it can be told to do wrong; a store without this is started without a lab. */
  readonly lab?: LabOptions;
  readonly options?: Partial<StoreOptions & ListenOptions>;
  /** What it serves instead of `storage`. */
  readonly data?: StoreData;
}

export interface LabOptions {
  readonly fault?: string | undefined;
  readonly latency?: string | undefined;
  readonly faultSeed?: number | undefined;
  readonly script?: string | undefined;
}

export interface TestStore extends Omit<Store, "stop" | "data"> {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly storage: Storage;
  readonly clock: StoreClock;
  /** Unexpected errors. */
  readonly faults: readonly unknown[];
  /** Stops serving, after 10 s at most by default; the storage stays open until the test ends. */
  close(graceMs?: number): Promise<void>;
}

/** Starts the real store in this process, on a free port of 127.0.0.1; it is closed when the test ends. */
export async function startTestStore({
  plan = "enterprise",
  seed = 0,
  clock: now = Date.now,
  storage = memoryStorage(),
  banMs,
  hasPage = false,
  lab,
  options = {},
  data,
}: TestStoreOptions = {}): Promise<TestStore> {
  const elapsed = now === Date.now ? () => performance.now() : now;
  const clock = makeStoreClock({ now, monotonic: elapsed });
  const apiKey = makeKey();
  const faults: unknown[] = [];
  await storage.putKey(keyRecord(apiKey, plan, true), now());
  await storage.addAll(samplePets(seed));
  const limits = memoryLedger(banMs);
  const local = "replaceAll" in storage && { local: { storage: storage as OwnStorage, limits } };
  const listening = await listen({ host: "127.0.0.1", port: 0, now: clock.moment, ...options });
  const store = serveStore(listening, data ?? { storage, limits, ...local }, {
    clock,
    hasPage,
    lab: lab && {
      shares: parseFaults(lab.fault ?? "") ?? new Map(),
      latency: parseLatency(lab.latency ?? "0") ?? { ms: 0, jitter: 0 },
      faultSeed: lab.faultSeed ?? 1,
      script: parseScript(lab.script ?? "off"),
      pets: samplePets(seed),
    },
    isJudged: true,
    onError: (error) => faults.push(error),
    ...options,
  });
  let closed: Promise<void> | undefined;
  const close = (graceMs = 10_000): Promise<void> => (closed ??= store.stop(graceMs));
  whenFinished(async () => {
    await close();
    await storage.close();
  });
  const scheme = options.tls === undefined ? "http" : "https";
  const baseUrl = `${scheme}://127.0.0.1:${store.port}/v1`;
  return { ...store, baseUrl, apiKey, storage, clock, faults, close };
}
