import { Agent, request, RetryAgent } from "undici";
import { drive } from "./drive.mjs";

const dispatcher = new RetryAgent(new Agent({ headersTimeout: 2_000, bodyTimeout: 2_000 }));
await drive(async (url, options) => {
  const { statusCode, body } = await request(url, { dispatcher, ...options });
  if (statusCode >= 400) throw new Error(`status ${statusCode}`);
  return body.text();
});
await dispatcher.close();
