import Bottleneck from "bottleneck";
import { drive } from "./drive.mjs";

const limiter = new Bottleneck({ maxConcurrent: 1 });
limiter.on("failed", (_error, { retryCount }) => (retryCount < 3 ? 500 : undefined));
const send = async (url, options) => {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(2_000) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
};
await drive((url, options) => limiter.schedule(() => send(url, options)));
