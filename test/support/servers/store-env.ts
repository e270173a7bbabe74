import { startTestStore } from "./store.ts";

/** Starts a store with three animals, and returns the environment in which pets uses it. */
export async function storeEnv(): Promise<Record<string, string>> {
  const { baseUrl, apiKey } = await startTestStore({ seed: 3 });
  return { PETS_BASE_URL: baseUrl, PETS_API_KEY: apiKey };
}
