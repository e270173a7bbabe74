import { onTestFinished } from "vitest";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { samplePets } from "../../../src/server/seed/generate.ts";
import { memoryLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { defaultWindows, type WindowLengths } from "../../../src/server/rate-limits/windows.ts";
import { listen, type ListenOptions } from "../../../src/server/http/server.ts";
import { memoryStorage } from "../../../src/server/storage/sqlite/index.ts";
import { attachService } from "../../../src/server/attach.ts";
import type { Inspector } from "../../../src/server/inspect/inspector.ts";
import type { Storage } from "../../../src/server/storage/storage.ts";

/** The options of a store for a test. */
export interface TestStoreOptions {
  /** `free`, `pro`, `business`, `enterprise` (the default here) or `M/min,D/day`. */
  readonly plan?: string;
  /** How many sample animals it has at the start. */
  readonly seed?: number;
  /** Returns the store's time in ms since the epoch; by default the machine's. */
  readonly clock?: () => number;
  /** Where animals and keys are stored; by default in memory. */
  readonly storage?: Storage;
  /** The lengths of the windows of its limits; by default a minute and a day. */
  readonly windows?: WindowLengths;
  /** Whether it has a page. */
  readonly hasPage?: boolean;
  /** The options of listening. */
  readonly listening?: Pick<ListenOptions, "tls" | "times" | "maxConnections">;
}

/** A running store. */
export interface TestStore {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly port: number;
  readonly storage: Storage;
  /** Unexpected errors. */
  readonly faults: readonly unknown[];
  /** The inspector of its requests. */
  readonly inspector: Inspector;
  close(): Promise<void>;
}

/** Starts the real store in this process, on a free port of 127.0.0.1; it is closed when the test ends. */
export async function startTestStore({
  plan = "enterprise",
  seed = 0,
  clock = Date.now,
  storage = memoryStorage(),
  windows = defaultWindows,
  hasPage = false,
  listening: how = {},
}: TestStoreOptions = {}): Promise<TestStore> {
  const listening = await listen({ host: "127.0.0.1", port: 0, now: clock, ...how });
  const apiKey = makeKey();
  const faults: unknown[] = [];
  await storage.putKey(keyRecord(apiKey, plan), clock());
  await storage.addAll(samplePets(seed));
  const limits = memoryLedger(windows);
  const inspector = attachService(
    listening,
    { storage, limits, now: clock, hasPage },
    { onFault: (error) => faults.push(error) },
  );
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    inspector.dispose();
    closed ??= listening.stop(10_000).then(() => storage.close());
    return closed;
  };
  onTestFinished(close);
  const { port } = listening.address;
  const scheme = how.tls === undefined ? "http" : "https";
  const baseUrl = `${scheme}://127.0.0.1:${port}/v1`;
  return { baseUrl, apiKey, port, storage, faults, inspector, close };
}
