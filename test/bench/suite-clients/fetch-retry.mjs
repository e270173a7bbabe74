import fetchRetry from "fetch-retry";
import { drive } from "./drive.mjs";

const limited = (url, options) => fetch(url, { ...options, signal: AbortSignal.timeout(2_000) });
const client = fetchRetry(limited, {
  retries: 3,
  retryDelay: 500,
  retryOn: [429, 500, 502, 503, 504],
});
await drive(async (url, options) => {
  const response = await client(url, options);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
});
