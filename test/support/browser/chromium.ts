import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
} from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** Returns whether there is a Chromium for the tests. If not, prints on standard error that they are skipped. */
export const browserAvailable = existsSync(executablePath);
if (!browserAvailable)
  console.warn(`skipped: the tests of the page, for there is no Chromium at ${executablePath}`);

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
];

const viewport = { width: 1_000, height: 800 };

let shared: Promise<Browser> | undefined;

/** Returns a new profile in a browser that this process starts once. */
export async function openContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  shared ??= chromium.launch({ executablePath, args, headless: true, timeout: 60_000 });
  return (await shared).newContext({ viewport, ...options });
}

export async function closeBrowser(): Promise<void> {
  const browser = await shared;
  shared = undefined;
  await browser?.close();
}

interface AskOptions {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a function that sends requests with the key of a store. */
export function asker({ baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string }) {
  return (path: string, init: AskOptions = {}): Promise<Response> => {
    const headers = { Authorization: `Bearer ${apiKey}`, ...init.headers };
    return fetch(new URL(path, baseUrl), { ...init, headers });
  };
}
