import pRetry from "p-retry";
import { drive } from "./drive.mjs";

const send = async (url, options) => {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(2_000) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
};
await drive((url, options) => pRetry(() => send(url, options), { retries: 3 }));
