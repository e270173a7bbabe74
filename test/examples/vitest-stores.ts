// A local store for each worker of vitest: name this file as `globalSetup`. A test then uses
// `inject("stores")[Number(process.env.VITEST_POOL_ID) - 1]`: its `baseUrl` and `apiKey`.
import { execFileSync } from "node:child_process";
import type { TestProject } from "vitest/node";

const serve = "serve --memory --port 0 --no-profile --detach --json -q";

function pets(line: string, more = {}): string {
  const env = { ...process.env, ...more };
  return execFileSync("pets", line.split(" "), { encoding: "utf8", env });
}

export default function setup({ provide, config }: TestProject): () => void {
  const workers = Array.from({ length: config.maxWorkers });
  const stores = workers.map(() => JSON.parse(pets(serve)));
  provide("stores", stores);
  return () => {
    for (const { baseUrl: PETS_BASE_URL, apiKey: PETS_API_KEY } of stores)
      pets("store stop -q", { PETS_BASE_URL, PETS_API_KEY });
  };
}

declare module "vitest" {
  interface ProvidedContext {
    readonly stores: readonly { readonly baseUrl: string; readonly apiKey: string }[];
  }
}
