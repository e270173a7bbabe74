import { get } from "node:http";

/** How long a store on this machine may take to answer, in ms. */
const answerTimeoutMs = 1000;

/** Returns true if a store answers `/healthz` at `baseUrl`, whether it can use its data or not (503). */
export async function isStoreRunning(baseUrl: string): Promise<boolean> {
  const url = URL.parse("/healthz", baseUrl);
  if (url === null) return false;
  const send = url.protocol === "https:" ? (await import("node:https")).get : get;
  return new Promise((resolve) => {
    // No key is sent, and a self-signed certificate is as good a sign of life.
    const options = { agent: false, rejectUnauthorized: false, timeout: answerTimeoutMs };
    const request = send(url, options, ({ statusCode }) => {
      resolve(statusCode === 200 || statusCode === 503);
      request.destroy();
    });
    request.once("timeout", () => request.destroy()).once("error", () => resolve(false));
    request.once("close", () => resolve(false));
  });
}
