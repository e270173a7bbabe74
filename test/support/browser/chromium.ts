import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from "playwright-core";
import type { Ready } from "../servers/serve.ts";

const executablePath = "/usr/bin/chromium";

/** Returns whether there is a Chromium for the tests. If not, prints on standard error that they are skipped. */
export const browserAvailable = existsSync(executablePath);
if (!browserAvailable)
  console.warn(`skipped: the tests of the page, for there is no Chromium at ${executablePath}`);

const args = ["--disable-site-isolation-trials", "--renderer-process-limit=1"];
const viewport = { width: 1_000, height: 800 };

let shared: Promise<Browser> | undefined;

/** Returns a new profile in a browser that this process starts once. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  shared ??= chromium.launch({ executablePath, args, timeout: 60_000 });
  return (await shared).newContext({ viewport, ...options });
}

export async function closeBrowser(): Promise<void> {
  const browser = await shared;
  shared = undefined;
  await browser?.close();
}

/** Returns a function that sends requests with the key of a store. */
export function asker({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }) {
  return (target: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${apiKey}`);
    headers.set("Content-Type", "application/json");
    return fetch(new URL(target, baseUrl), { ...init, headers });
  };
}

/** Runs `work`, of a script that is no test, with a store in memory that is started with these arguments. */
export async function withStore(
  words: readonly string[],
  work: (ready: Ready & { readonly page: string }) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), "pets-page-"));
  const env = { PATH: process.env.PATH ?? "", HOME: home, TZ: "UTC" };
  const script = path.resolve(import.meta.dirname, "../../../bin/pets.js");
  const serve = [script, "serve", "--detach", "--json", "--port", "0", "--memory", ...words];
  const ready = JSON.parse(execFileSync(process.execPath, serve, { env, encoding: "utf8" }));
  try {
    await work(ready);
  } finally {
    await closeBrowser();
    process.kill(ready.pid);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
