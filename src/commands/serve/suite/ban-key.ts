import { get } from "node:http";
import type { Context } from "../../context.ts";
import type { Service } from "../start-service.ts";

/** The path that is asked for to get the key banned; no client asks for it. */
export const banPath = "/v1/-/ban";

/** The length of the window in which it must happen, in ms, and when in it there is enough time. */
const windowMs = 2_000;
const latestStartMs = 400;
/** More than the requests of a window, and more than the 250 ms in which requests count as in flight. */
const requestsInWindow = 9;
const graceMs = 270;
const requestsToBan = 3;

/** Sends requests with the key of a store whose limit is 8 per 2 s until the key is banned. */
export async function banKey(service: Service, { clock, signal }: Context): Promise<void> {
  for (;;) {
    const intoWindow = clock.now() % windowMs;
    if (intoWindow > latestStartMs) await clock.sleep(windowMs - intoWindow, signal);
    for (let sent = 0; sent < requestsInWindow; sent += 1) await ask(service);
    await clock.sleep(graceMs, signal);
    for (let sent = 0; sent < requestsToBan; sent += 1)
      if ((await ask(service)).includes('"key_banned"')) return;
  }
}

function ask({ baseUrl, keys: [{ apiKey }] }: Service): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${apiKey}` };
    get(new URL(banPath, baseUrl), { agent: false, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => resolve(text));
    }).once("error", reject);
  });
}
