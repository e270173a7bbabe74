import { once } from "node:events";
import { availableParallelism } from "node:os";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { runHistories } from "../imports/ledger/histories.ts";

const histories = Number(process.env.HISTORIES ?? 20_000);
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

interface Share {
  readonly numRuns: number;
  readonly seed: number;
}

/** Plays random histories of imports against the reference, in as many threads as there are processors. */
export async function measureHistories(): Promise<readonly string[]> {
  const threads = availableParallelism();
  const start = performance.now();
  const shares = Array.from({ length: threads }, (_, place) =>
    playShare({ numRuns: Math.ceil(histories / threads), seed: seed + place }),
  );
  const broken = (await Promise.all(shares)).filter((words) => words !== "");
  const each = ((performance.now() - start) / histories).toFixed(1);
  const found = broken.length > 0 ? broken.join("\n") : "none broken";
  console.log(`${histories} histories from the seed ${seed} on, ${each} ms each: ${found}`);
  return broken.length > 0 ? ["histories of imports: none broken"] : [];
}

/** Returns what the histories of one thread found, in words. */
async function playShare(share: Share): Promise<string> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share });
  const [words] = (await once(worker, "message")) as [string];
  return words;
}

if (!isMainThread) {
  const found = await runHistories(workerData as Share);
  parentPort?.postMessage(found?.words ?? "", []);
}
