import { Octokit } from "@octokit/core";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { drive } from "./drive.mjs";

const again = (_after, _options, _octokit, count) => count < 3;
const Client = Octokit.plugin(retry, throttling);
const octokit = new Client({
  throttle: { onRateLimit: again, onSecondaryRateLimit: again },
  request: {
    fetch: (url, options) => fetch(url, { ...options, signal: AbortSignal.timeout(2_000) }),
  },
});
await drive(async (url, { method, headers, body }) => {
  const { data } = await octokit.request({ method, url, headers, ...(body && JSON.parse(body)) });
  return JSON.stringify(data);
});
