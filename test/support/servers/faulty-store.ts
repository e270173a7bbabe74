import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { parseFaults, parseLatency } from "../../../src/server/faults/fault-spec.ts";
import { keyRecord, makeKey } from "../../../src/server/keys.ts";
import { makeFaultInjector } from "../../../src/server/faults/index.ts";
import type { LocalLedger } from "../../../src/server/rate-limits/usage-ledger.ts";
import { samplePets } from "../../../src/server/seed/generate.ts";
import { listen } from "../../../src/server/http/server.ts";
import { memoryData } from "../../../src/server/storage/sqlite/index.ts";
import { attachService } from "../../../src/server/attach.ts";
import type { OwnStorage } from "../../../src/server/storage/storage.ts";
import { parseHead, type RawReply } from "./raw.ts";

/** The options of a store with fault injection. */
interface FaultyStoreOptions {
  readonly plan?: string;
  /** How many sample animals it starts with. */
  readonly seed?: number;
  /** Waits a turn of the event loop before each of them, like a slow file. */
  readonly isSlowSeed?: boolean;
  readonly clock?: () => number;
  readonly fault?: string;
  readonly latency?: string;
  readonly faultSeed?: number;
  readonly own?: { readonly storage: OwnStorage; readonly limits: LocalLedger };
}

/** What was received before the connection ended; the status is 0 if nothing was. */
export interface Outcome extends RawReply {
  /** The error that ended the connection, if there was one. */
  readonly error: string | undefined;
}

/** Starts a store with fault injection in this process; it is closed when the test ends. */
export async function startFaultyStore({
  plan = "enterprise",
  seed = 0,
  isSlowSeed: isSlow = false,
  clock = Date.now,
  fault = "",
  latency = "0",
  faultSeed = 1,
  own = memoryData().local,
}: FaultyStoreOptions = {}) {
  const settings = {
    faults: parseFaults(fault) ?? new Map(),
    latency: parseLatency(latency) ?? { ms: 0, jitter: 0 },
    seed: faultSeed,
  };
  if (own === undefined) throw new Error("memory is no data of one's own");
  const listening = await listen({ host: "127.0.0.1", port: 0, now: clock });
  const apiKey = makeKey();
  const faults: unknown[] = [];
  const seedPets = () => (isSlow ? slowly(samplePets(seed)) : samplePets(seed));
  await own.storage.putKey(keyRecord(apiKey, plan), clock());
  await own.storage.addAll(seedPets());
  const injector = makeFaultInjector({ ...own, now: clock, settings, seed: seedPets });
  const { storage, limits } = injector;
  attachService(
    listening,
    { storage, limits, now: clock, faults: injector },
    { onFault: (e) => faults.push(e) },
  );
  const close = async (): Promise<void> => {
    injector.dispose();
    await listening.stop(5_000);
  };
  onTestFinished(async () => {
    await close();
    await own.storage.close();
  });
  const { port } = listening.address;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return { baseUrl, apiKey, port, storage: own.storage, faults, close };
}

async function* slowly<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    await new Promise(setImmediate);
    yield item;
  }
}

/** A running store with fault injection. */
export type FaultyStore = Awaited<ReturnType<typeof startFaultyStore>>;

/** Sends one request over a new connection, to its end or for `storeLockTimeoutMs`. */
export function askFaulty(
  { port, apiKey }: Pick<FaultyStore, "port" | "apiKey">,
  line: string,
  {
    body = "",
    fault = "",
    host = "localhost",
    key = apiKey,
    patienceMs = 10_000,
  }: {
    readonly body?: string;
    readonly fault?: string;
    readonly host?: string;
    readonly key?: string;
    readonly patienceMs?: number;
  } = {},
): Promise<Outcome> {
  const head = [
    `${line} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: close",
    ...(key === "" ? [] : [`Authorization: Bearer ${key}`]),
    ...(fault === "" ? [] : [`X-Pets-Fault: ${fault}`]),
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let received = Buffer.alloc(0);
    let error: string | undefined;
    const timer = setTimeout(() => socket.destroy(new Error("no answer in time")), patienceMs);
    socket.on("data", (chunk) => (received = Buffer.concat([received, chunk])));
    socket.on("error", ({ message }) => (error = message));
    socket.on("close", () => {
      clearTimeout(timer);
      resolve({ ...parse(received), error });
    });
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

function parse(bytes: Buffer): RawReply {
  const head = parseHead(bytes);
  if (head === undefined) return { status: 0, headers: {}, body: "" };
  const { bodyStart, ...fields } = head;
  return { ...fields, body: bytes.toString("utf8", bodyStart) };
}

/** Returns the body of a NewPet. */
export const petBody = (name = "Rex"): string => JSON.stringify({ name, categoryId: 1 });

/** Returns the code of an Error body. */
export const codeOf = ({ body }: Pick<Outcome, "body">): unknown => JSON.parse(body).code;

/** Returns the reply to `GET /_store/state`. */
export const stateOf = async (store: Pick<FaultyStore, "port" | "apiKey">) =>
  JSON.parse((await askFaulty(store, "GET /_store/state")).body);

/** Returns the names of the newest 100 animals. */
export async function namesIn(store: FaultyStore): Promise<string[]> {
  const { body } = await askFaulty(store, "GET /v1/pets?limit=100");
  return JSON.parse(body).map(({ name }: { name: string }) => name);
}
