import { benchEnv, benchFolder, runProgram, startBulkStore, writePets } from "./bulk-support.ts";
import { leastMs } from "./limiter/least.ts";
import { petsCommand } from "./pets-command.ts";

const rows = 180;
const perWindow = 60;
const windowMs = 60_000;
const wanted = 1.05;

/** Adds 180 rows on the plan `free`: within 1.05 times the minimum time, and nothing refused. */
export async function measureLimits(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["free"]);
  const [apiKey = ""] = store.keys;
  try {
    console.log(`${rows} rows on the plan free, ${perWindow} requests a minute`);
    const env = benchEnv(folder, { PETS_BASE_URL: store.baseUrl, PETS_API_KEY: apiKey });
    const start = Date.now();
    const file = writePets(folder, rows);
    const { code, ms } = await runProgram([...petsCommand, "add", "--from", file, "-q"], { env });
    const windows = Math.ceil(rows / perWindow);
    const least = leastMs({ start, first: start, windowMs, windows });
    const { pets, requests, early } = await store.state();
    const refused = requests["429"] ?? 0;
    console.log(
      `  ended with ${code}: ${pets} added, ${refused} refused, ${early} early, ` +
        `${(ms / 1000).toFixed(1)} s of at least ${(least / 1000).toFixed(1)} s: ${(ms / least).toFixed(3)}`,
    );
    const isMet = code === 0 && pets === rows && refused + early === 0 && ms / least <= wanted;
    return isMet ? [] : [`${rows} rows on the plan free: all, none refused, within ${wanted}`];
  } finally {
    await store.stop();
    remove();
  }
}

/** The same with xargs and curl, which ignore limits, for comparison. */
export async function measureXargs(): Promise<readonly string[]> {
  const { folder, remove } = benchFolder();
  const store = await startBulkStore(folder, ["free"]);
  const [apiKey = ""] = store.keys;
  try {
    const curl = [
      `curl -s -o /dev/null -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json'`,
      `-d '{"name":"Pet {}","categoryId":1}' ${store.baseUrl}/pets`,
    ].join(" ");
    const command = `seq ${rows} | xargs -P 8 -I{} sh -c "${curl.replaceAll('"', '\\"')}"`;
    const { ms } = await runProgram(["sh", "-c", command], { env: benchEnv(folder) });
    const { pets, requests, early, bans } = await store.state();
    console.log(
      `xargs -P 8 with curl, ${rows} rows: ${pets} added, ${requests["429"] ?? 0} refused, ` +
        `${early} early, ${bans} bans, ${(ms / 1000).toFixed(1)} s`,
    );
    return [];
  } finally {
    await store.stop();
    remove();
  }
}
